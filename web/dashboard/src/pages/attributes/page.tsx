import { Code, Group, Menu, Stack, Text } from '@mantine/core';
import { IconListDetails, IconPlus, IconTags, IconTemplate } from '@tabler/icons-react';
import { type ReactNode, useMemo, useState } from 'react';
import { useParams } from 'react-router';
import type { AttributeListQuery, AttributeSetListQuery, AttributeSubject } from '../../../.graph/graphql.ts';
import { graphql, useAction, useQuery } from '../../graph/graph-hooks.ts';
import { allRows, type Column, DataTable } from '../../parts/data-table.tsx';
import { Action, LinkAction, PageLink, Tag } from '../../parts/elements.tsx';
import { Search, Segments } from '../../parts/forms-and-dialogs.tsx';
import { Loaded, NotFound, PageTitle } from '../../parts/page-frame.tsx';
import { PageTabs } from '../../parts/tabs.tsx';
import { useSubject } from '../../parts/url-state.ts';
import { useAddress, useGo, useOrganization } from '../../session/session.tsx';
import { useLanguage, useStrings } from '../../strings/strings.tsx';

/** The attributes and attribute sets of products, brands or categories. */
export function Page() {
  const { attributes, pages } = useStrings();
  const address = useAddress();
  const { isAdmin } = useOrganization();
  const { view } = useParams();
  const [subject, changeSubject] = useSubject();
  const isSets = view === 'sets';
  if (view && !isSets) return <NotFound />;
  const create = isAdmin && (
    <LinkAction
      label={isSets ? attributes.newSet : pages.newAttribute}
      to={`attributes/${isSets ? 'sets' : 'edit'}/new?subject=${subject}`}
      icon={IconPlus}
    />
  );
  return (
    <>
      <PageTitle title={pages.attributes}>
        {isAdmin && subject === 'product' && <Templates />}
        {create}
      </PageTitle>
      <PageTabs
        label={pages.attributes}
        value={isSets ? 'sets' : 'list'}
        tabs={[
          { value: 'list', label: pages.attributes },
          { value: 'sets', label: attributes.sets },
        ]}
        addressOf={(next) => address(`attributes${next === 'sets' ? '/sets' : ''}?subject=${subject}`)}
      >
        <Stack gap="sm" flex={1} mih={0}>
          <Segments
            aria-label={attributes.subject}
            value={subject}
            onChange={changeSubject}
            labels={attributes.subjects}
            maw="max-content"
          />
          {isSets ? <SetList subject={subject} create={create} /> : <AttributeList subject={subject} create={create} />}
        </Stack>
      </PageTabs>
    </>
  );
}

const ATTRIBUTES = graphql(`
  query AttributeList($subject: AttributeSubject!) { attributes(subject: $subject) { id name slug type unit options isActive } }
`);
type Row = AttributeListQuery['attributes'][number];

function AttributeList({ subject, create }: { subject: AttributeSubject; create: ReactNode }) {
  const query = useQuery({ query: ATTRIBUTES, variables: { subject } });
  return <Loaded query={query}>{({ attributes: all }) => <Found all={all} create={create} />}</Loaded>;
}

function Found({ all, create }: { all: Row[]; create: ReactNode }) {
  const { attributes, pages, terms } = useStrings();
  const [search, setSearch] = useState('');
  const columns = useColumns();
  const matching = useMemo(() => {
    const text = search.trim().toLowerCase();
    return all.filter(({ name, slug }) => `${name} ${slug}`.toLowerCase().includes(text));
  }, [all, search]);
  return (
    <>
      {all.length > 0 && (
        <Group>
          <Search label={attributes.search} value="" onSearch={setSearch} />
        </Group>
      )}
      <DataTable<Row>
        label={pages.attributes}
        columns={columns}
        rows={allRows(matching)}
        empty={{
          icon: IconTags,
          title: all.length > 0 ? terms.nothingFound : attributes.none,
          text: attributes.noneText,
          action: create,
        }}
      />
    </>
  );
}

function useColumns(): Column<Row>[] {
  const { attributes, terms } = useStrings();
  return [
    {
      key: 'name',
      title: terms.name,
      cell: ({ id, name }) => <PageLink to={`attributes/edit/${id}`} label={name} fw={500} />,
    },
    { key: 'slug', title: terms.slug, from: 'md', cell: ({ slug }) => <Code>{slug}</Code> },
    { key: 'type', title: attributes.type, width: 170, cell: ({ type }) => attributes.types[type] },
    {
      key: 'detail',
      title: attributes.detail,
      from: 'sm',
      cell: ({ unit, options }) => unit ?? (options.length > 0 ? attributes.optionCount(options.length) : null),
    },
    {
      key: 'active',
      title: terms.state,
      width: 120,
      from: 'xs',
      cell: ({ isActive }) => <Tag label={isActive ? terms.active : attributes.inactive} color={isActive ? 'teal' : 'gray'} />,
    },
  ];
}

const SETS = graphql(`
  query AttributeSetList($subject: AttributeSubject!) {
    attributeSets(subject: $subject) { id name attributeSetAttributes { order attribute { id name } } }
  }
`);
type SetRow = AttributeSetListQuery['attributeSets'][number];

function SetList({ subject, create }: { subject: AttributeSubject; create: ReactNode }) {
  const { attributes, terms, pages } = useStrings();
  const query = useQuery({ query: SETS, variables: { subject } });
  const columns: Column<SetRow>[] = [
    {
      key: 'name',
      title: terms.name,
      cell: ({ id, name }) => <PageLink to={`attributes/sets/${id}`} label={name} fw={500} />,
    },
    {
      key: 'attributes',
      title: pages.attributes,
      cell: ({ attributeSetAttributes: positions }) => (
        <Text truncate>{positions.map(({ attribute }) => attribute.name).join(', ')}</Text>
      ),
    },
  ];
  return (
    <Loaded query={query}>
      {({ attributeSets }) => (
        <DataTable<SetRow>
          label={attributes.sets}
          columns={columns}
          rows={allRows(attributeSets)}
          empty={{ icon: IconListDetails, title: attributes.noSets, text: attributes.noSetsText, action: create }}
        />
      )}
    </Loaded>
  );
}

const TEMPLATES = graphql(`query AttributeTemplates { attributeTemplates { id name nameDe attributes attributesDe } }`);
const APPLY = graphql(`
  mutation ApplyTemplate($template: String!, $inGerman: Boolean!) {
    createAttributesOfTrade(template: $template, inGerman: $inGerman) { id name }
  }
`);

/** Creates the usual attributes of a trade, and a set of them. */
function Templates() {
  const { attributes, actions } = useStrings();
  const { language } = useLanguage();
  const { go } = useGo();
  const [{ data }] = useQuery({ query: TEMPLATES });
  const [apply, isApplying] = useAction(APPLY, {
    done: attributes.templateDone,
    after: (made) => go(`attributes/sets/${made.createAttributesOfTrade.id}`),
  });
  type Template = NonNullable<typeof data>['attributeTemplates'][number];
  const nameOf = ({ name, nameDe }: Template) => (language === 'de' ? nameDe : name);
  function create(template: Template) {
    const inGerman = language === 'de';
    const text = (inGerman ? template.attributesDe : template.attributes).join(', ');
    const question = { title: attributes.templateTitle(nameOf(template)), text, action: actions.create, danger: false };
    return apply({ template: template.id, inGerman }, question);
  }
  return (
    <Menu position="bottom-end">
      <Menu.Target>
        <Action label={attributes.templates} variant="default" icon={IconTemplate} loading={isApplying} />
      </Menu.Target>
      <Menu.Dropdown>
        {data?.attributeTemplates.map((template) => (
          <Menu.Item key={template.id} onClick={() => create(template)}>
            {nameOf(template)}
            <Text size="xs" c="dimmed">
              {attributes.templateSize(template.attributes.length)}
            </Text>
          </Menu.Item>
        ))}
      </Menu.Dropdown>
    </Menu>
  );
}

import { Menu, Text } from '@mantine/core';
import { IconTemplate } from '@tabler/icons-react';
import { useNavigate } from 'react-router';
import { useMutation } from 'urql';
import { graphql, useQuery } from '../../graph/graph-hooks.ts';
import { Action } from '../../parts/elements.tsx';
import { showDone, useConfirm } from '../../parts/overlays.tsx';
import { useAddress } from '../../session/organization-choice.tsx';
import { useLanguage, useStrings } from '../../strings/strings.tsx';

const TEMPLATES = graphql(`query AttributeTemplates { attributeTemplates { id name nameDe attributes attributesDe } }`);
const APPLY = graphql(`
  mutation ApplyTemplate($template: String!, $inGerman: Boolean!) {
    createAttributesOfTrade(template: $template, inGerman: $inGerman) { id name }
  }
`);

/** Creates the usual attributes of a trade, and a set of them. */
export function Templates() {
  const { attributes, actions } = useStrings();
  const { language } = useLanguage();
  const navigate = useNavigate();
  const address = useAddress();
  const confirm = useConfirm();
  const [{ data }] = useQuery({ query: TEMPLATES });
  const [{ fetching }, apply] = useMutation(APPLY);
  type Template = NonNullable<typeof data>['attributeTemplates'][number];
  const nameOf = ({ name, nameDe }: Template) => (language === 'de' ? nameDe : name);
  async function create(template: Template) {
    const inGerman = language === 'de';
    const text = (inGerman ? template.attributesDe : template.attributes).join(', ');
    if (!(await confirm({ title: attributes.templateTitle(nameOf(template)), text, action: actions.create }))) return;
    const { data: made } = await apply({ template: template.id, inGerman });
    if (!made) return;
    showDone(attributes.templateDone);
    navigate(address(`attributes/sets/${made.createAttributesOfTrade.id}`));
  }
  return (
    <Menu position="bottom-end">
      <Menu.Target>
        <Action label={attributes.templates} variant="default" icon={IconTemplate} loading={fetching} />
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

import { Alert, Badge, Button, Group, Stack, Text, TextInput } from '@mantine/core';
import { useMutation } from 'urql';
import type { SiteDomainQuery } from '../../../.graph/graphql.ts';
import { graphql } from '../../graph/graphql.ts';
import { useQuery } from '../../graph/use-query.ts';
import { useConfirm } from '../../parts/confirm.ts';
import { Secret } from '../../parts/secret.tsx';
import { Section } from '../../parts/section.tsx';
import { Loaded } from '../../parts/states.tsx';
import { showDone } from '../../parts/toast.ts';
import { useClosingForm } from '../../parts/use-closing-form.ts';
import { useFormats, useStrings } from '../../strings/strings.tsx';

const DOMAIN = graphql(`
  query SiteDomain($siteId: ID!) { siteDomain(siteId: $siteId) { id domain subdomain verifiedAt lostAt status ssl recordName recordValue } }
`);
const SET = graphql(`
  mutation SetDomain($siteId: ID!, $input: SiteDomainInput!) {
    setSiteDomain(siteId: $siteId, input: $input) { id domain lostAt status recordName recordValue }
  }
`);
const VERIFY = graphql(
  `mutation VerifyDomain($siteId: ID!) { verifySiteDomain(siteId: $siteId) { id verifiedAt lostAt status ssl } }`,
);
const REMOVE = graphql(
  `mutation RemoveDomain($siteId: ID!) { removeSiteDomain(siteId: $siteId) { id domain verifiedAt lostAt status ssl } }`,
);

type SiteDomain = SiteDomainQuery['siteDomain'];

/** The domain of a site, with the record that proves who owns it. */
export function Domain({ siteId }: { siteId: string }) {
  const { content } = useStrings();
  const query = useQuery({ query: DOMAIN, variables: { siteId } });
  return (
    <Loaded query={query}>
      {({ siteDomain }) => (
        <Section title={content.kinds.domain}>
          <Stack align="start">
            <Text size="sm">{content.subdomain(siteDomain.subdomain)}</Text>
            {siteDomain.domain ? <Present siteId={siteId} domain={siteDomain} /> : <Absent siteId={siteId} />}
          </Stack>
        </Section>
      )}
    </Loaded>
  );
}

function Absent({ siteId }: { siteId: string }) {
  const { content, actions } = useStrings();
  const [{ fetching }, set] = useMutation(SET);
  const form = useClosingForm({
    initialValues: { domain: '' },
    validate: { domain: (domain) => (/^[a-zA-Z0-9-]+(\.[a-zA-Z0-9-]+)+$/.test(domain) ? null : content.wrongDomain) },
  });
  return (
    <form onSubmit={form.onSubmit((input) => set({ siteId, input }))} style={{ width: '100%', maxWidth: 480 }}>
      <Stack>
        <TextInput
          label={content.domain}
          description={content.domainHelp}
          placeholder="www.example.com"
          maxLength={230}
          {...form.getInputProps('domain')}
        />
        <Group>
          <Button type="submit" loading={fetching}>
            {actions.save}
          </Button>
        </Group>
      </Stack>
    </form>
  );
}

function Present({
  siteId,
  domain: { domain, status, ssl, verifiedAt, lostAt, recordName, recordValue },
}: {
  siteId: string;
  domain: SiteDomain;
}) {
  const { content, actions } = useStrings();
  const formats = useFormats();
  const confirm = useConfirm();
  const [{ fetching: verifying }, verify] = useMutation(VERIFY);
  const [{ fetching: removing }, remove] = useMutation(REMOVE);

  async function check() {
    const { data } = await verify({ siteId });
    if (data) showDone(content.domainStates[data.verifySiteDomain.status]);
  }
  async function askToRemove() {
    const { removeDomainText: text } = content;
    if (await confirm({ title: content.removeTitle(domain!), text, action: actions.remove, danger: true }))
      await remove({ siteId });
  }
  return (
    <>
      <Group gap="xs">
        <Text fw={600}>{domain}</Text>
        <Badge variant="light" color={status === 'verified' ? 'teal' : 'yellow'}>
          {content.domainStates[status]}
        </Badge>
        {ssl === 'active' && (
          <Badge variant="light" color="teal">
            {content.certificate}
          </Badge>
        )}
      </Group>
      {lostAt && <Alert color="red">{content.lostDomain(formats.time(lostAt))}</Alert>}
      {verifiedAt && <Text size="sm">{content.verified(formats.time(verifiedAt))}</Text>}
      {status !== 'verified' && recordName && recordValue && (
        <Stack w="100%" maw={640}>
          <Text size="sm">{content.recordText}</Text>
          <Secret label={content.recordName} value={recordName} />
          <Secret label={content.recordValue} value={recordValue} />
        </Stack>
      )}
      <Group>
        <Button onClick={check} loading={verifying}>
          {content.verify}
        </Button>
        <Button variant="default" onClick={askToRemove} loading={removing}>
          {actions.remove}
        </Button>
      </Group>
    </>
  );
}

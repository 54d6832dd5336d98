import { table } from '../route.ts';
import { siteContent } from '../surfaces.ts';
import { draftErrors, LIST, listErrors, listed, NODES, PAGE } from './site.ts';

const siteId = '0199a000-0000-7000-8000-000000000002';
const pageId = '0199a000-0000-7000-8000-000000000003';
const formId = '0199a000-0000-7000-8000-000000000004';
const submissionId = '0199a000-0000-7000-8000-000000000005';
const PAGE_FIELDS = 'id siteId title slug path status seo { title description } publishedAt createdAt updatedAt';
const FORM_FIELDS = 'id siteId name fields { name label type required options }';
const SUBMISSION = 'id formId values submittedAt pageId';

export const sitePages = table(siteContent, {
  'GET /sites/:siteId/pages': {
    summary: 'List the published pages of a site, by path',
    description: 'Keys of owners and admins can include drafts with `status=all`.',
    graphql: `query ($siteId: ID!, ${PAGE}, $status: PublicationFilter = published) {
      pages(siteId: $siteId, status: $status, ${NODES}) { data: nodes { ${PAGE_FIELDS} } ${LIST} }
    }`,
    ...listed,
    example: { params: { siteId }, query: { page: '1' } },
    errors: draftErrors,
  },
  'GET /sites/:siteId/pages/:pageId': {
    summary: 'Read a page',
    graphql: `query ($siteId: ID!, $pageId: ID!) { page(siteId: $siteId, id: $pageId) { ${PAGE_FIELDS} } }`,
    example: { params: { siteId, pageId } },
    errors: { NOT_FOUND: 'Page not found' },
  },
  'GET /sites/:siteId/forms': {
    summary: 'List the forms of a site, by name',
    graphql: `query ($siteId: ID!, ${PAGE}) { siteForms(siteId: $siteId, ${NODES}) { data: nodes { ${FORM_FIELDS} } ${LIST} } }`,
    ...listed,
    example: { params: { siteId }, query: { page: '1' } },
    errors: listErrors,
  },
  'GET /sites/:siteId/forms/:formId': {
    summary: 'Read a form',
    graphql: `query ($siteId: ID!, $formId: ID!) { siteForm(siteId: $siteId, id: $formId) { ${FORM_FIELDS} } }`,
    example: { params: { siteId, formId } },
    errors: { NOT_FOUND: 'Form not found' },
  },
  'GET /sites/:siteId/forms/:formId/submissions': {
    summary: 'List the submissions of a form, newest first',
    graphql: `query ($siteId: ID!, $formId: ID!, ${PAGE}) {
      siteFormSubmissions(siteId: $siteId, formId: $formId, ${NODES}) { data: nodes { ${SUBMISSION} } ${LIST} }
    }`,
    ...listed,
    example: { params: { siteId, formId }, query: { page: '1' } },
    errors: { ...listErrors, NOT_FOUND: 'Form not found' },
  },
  'GET /sites/:siteId/forms/:formId/submissions/:submissionId': {
    summary: 'Read a submission of a form',
    graphql: `query ($siteId: ID!, $formId: ID!, $submissionId: ID!) {
      siteFormSubmission(siteId: $siteId, formId: $formId, id: $submissionId) { ${SUBMISSION} }
    }`,
    example: { params: { siteId, formId, submissionId } },
    errors: { NOT_FOUND: 'Submission not found' },
  },
  'POST /sites/:siteId/forms/:formId/submissions': {
    summary: 'Submit a form of a published site as a visitor',
    description: 'The page must be on the verified domain of the site. Emits `form.submission.created`.',
    requires: { access: 'public' },
    headers: {
      'access-control-allow-origin': '*',
      'access-control-expose-headers': 'Retry-After',
      'cross-origin-resource-policy': 'cross-origin',
    },
    graphql: `mutation ($siteId: ID!, $formId: ID!, $values: JSONObject!, $pageId: ID, $honeypot: String) {
      submitSiteForm(siteId: $siteId, formId: $formId, values: $values, pageId: $pageId, honeypot: $honeypot) { id submittedAt }
    }`,
    status: 201,
    example: { params: { siteId, formId }, body: { values: { email: 'ada@example.com' } } },
    errors: { NOT_FOUND: 'Form not found', FORBIDDEN: 'The origin of this page is not the domain of the site.' },
  },
});

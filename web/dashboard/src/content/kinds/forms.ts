import { graphql } from '../../graph/graphql.ts';
import { type Column, defineKind } from '../kind.ts';

export const forms = defineKind({
  fields: [
    { name: 'name', label: 'name', type: 'text', required: true, maxLength: 255 },
    {
      name: 'fields',
      label: 'columns',
      type: 'columns',
      required: true,
      columnTypes: ['text', 'textarea', 'email', 'phone', 'number', 'date', 'checkbox', 'select'],
    },
  ],
  list: graphql(`
    query SiteForms($siteId: ID!, $page: Int!, $limit: Int!) {
      list: siteForms(siteId: $siteId, page: $page, perPage: $limit) {
        nodes { id version updatedAt name fields { name label type required options } } pagination: meta { total }
      }
    }
  `),
  read: graphql(`
    query SiteForm($siteId: ID!, $id: ID!) {
      record: siteForm(siteId: $siteId, id: $id) { id version updatedAt name fields { name label type required options } }
    }
  `),
  create: graphql(`
    mutation CreateSiteForm($siteId: ID!, $input: NewSiteForm!) { record: createSiteForm(siteId: $siteId, input: $input) { id } }
  `),
  change: graphql(`
    mutation ChangeSiteForm($id: ID!, $version: Int!, $input: SiteFormChange!) {
      record: updateSiteForm(id: $id, version: $version, input: $input) { id }
    }
  `),
  remove: graphql(`mutation RemoveSiteForm($id: ID!) { record: deleteSiteForm(id: $id) { id } }`),
  title: ({ name }) => name,
  address: ({ fields }) => fields.map(({ label }) => label).join(', '),
  valuesOf: ({ name, fields }) => ({
    name,
    fields: fields.map(({ name: key, label, type, required, options }) => ({ name: key, label, type, required, options })),
  }),
  inputOf: ({ fields, ...input }) => ({
    ...input,
    ...(fields !== undefined && { fields: (fields as Column[]).map((each) => ({ ...each, label: each.label || each.name })) }),
  }),
});

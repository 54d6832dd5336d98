import type { AgentFormsQuery } from '../../../../.graph/graphql.ts';
import { graphql } from '../../../graph/graphql.ts';

graphql(`
  fragment EditedForm on CustomForm { id name title enabled fields { name label type required options } }
`);
export const FORMS = graphql(`query AgentForms($agentId: ID!) { agentForms(agentId: $agentId) { ...EditedForm } }`);
export const CREATE_FORM = graphql(`
  mutation CreateForm($agentId: ID!, $input: NewCustomForm!) { createCustomForm(agentId: $agentId, input: $input) { ...EditedForm } }
`);
export const UPDATE_FORM = graphql(`
  mutation UpdateForm($id: ID!, $input: CustomFormChange!) { updateCustomForm(id: $id, input: $input) { ...EditedForm } }
`);
export const DELETE_FORM = graphql(`mutation DeleteForm($id: ID!) { deleteCustomForm(id: $id) { id } }`);

export type Form = AgentFormsQuery['agentForms'][number];

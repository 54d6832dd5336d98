/** The organization that the first start creates, and its owner. */
export const SAMPLE = { organization: 'sample', email: 'owner@example.com', name: 'Sample organization' };

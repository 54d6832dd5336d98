/** Sentences that several public descriptions contain. */
export const EDITORS = 'Needs the role admin in the organization or the workspace.';
export const VERSION = 'The version that the edit is based on. Another one is refused with the current `version`.';
export const HTML = 'HTML. Elements, attributes and URLs outside the allow-list are removed.';

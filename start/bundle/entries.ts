/** The processes that are bundled. Importing one does not start it. */
export const processes = ['gateway', 'worker', 'subgraph'];
/** The commands that are bundled. They run when they are imported. */
export const commands = ['migrate', 'key', 'organization', 'login', 'evaluate', 'main'];

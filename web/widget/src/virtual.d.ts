declare module 'virtual:panel' {
  /** The file of the panel beside the script, with a hash of its content as the query. */
  export const panelFile: string;
}

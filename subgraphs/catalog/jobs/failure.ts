/** An item that cannot succeed, whoever tries again; the message is shown on it. */
export class ItemFailure extends Error {
  override name = 'ItemFailure';
}

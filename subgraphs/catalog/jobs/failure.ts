/** A permanent failure of an item, which is not retried. Its message becomes the `errorMessage` of the item. */
export class ItemFailure extends Error {
  override name = 'ItemFailure';
}

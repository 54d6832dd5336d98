/** Deletion, archive and edits of many products. */
export const productEdits = {
  undo: 'Undo',
  deleted: 'Deleted',
  deletedBy: 'Deleted by',
  deletedAt: 'Deleted',
  expires: 'Kept until',
  noneDeleted: 'No deleted products',
  noneDeletedText: 'Deleted products stay here for 30 days, as long as the storage has room.',
  restore: (count: string) => `Restore ${count}`,
  restored: (count: number, text: string) => (count === 1 ? '1 product restored.' : `${text} products restored.`),
};

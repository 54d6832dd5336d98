/** The balance of credits of an organization and the bytes that it stores. A charge with the same reference happens once. */
export { addCharge, balanceOf, canPay, type Movement, moveCredits, movement, requireBalance } from './credits.ts';
export { storageExcess, storageUse } from './storage.ts';

/** Default limit of a request body, in bytes. */
export const defaultBodyLimit = 10_485_760;

/** Default bytes of the upload forms in progress: three quarters of the volume that the chart mounts for them. */
export const defaultUploadBudget = 805_306_368;

/** Default bytes that the files of one organization may take. */
export const defaultFileQuota = 10_737_418_240;

/** The address of a link that writes to an e-mail address. Visitors could add recipients and text after a `?`. */
export const mailLink = (email: string): string => `mailto:${email.split('@').map(encodeURIComponent).join('@')}`;

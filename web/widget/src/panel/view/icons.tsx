const paths = {
  close: 'M6.4 5 5 6.4 10.6 12 5 17.6 6.4 19 12 13.4 17.6 19 19 17.6 13.4 12 19 6.4 17.6 5 12 10.6 6.4 5Z',
  back: 'm10 6-6 6 6 6 1.4-1.4L7.8 13H20v-2H7.8l3.6-3.6L10 6Z',
  send: 'M4 20.5 21 12 4 3.5v6.6L14 12 4 13.9v6.6Z',
  stop: 'M7 7h10v10H7z',
  more: 'M11 5h2v6h6v2h-6v6h-2v-6H5v-2h6V5Z',
  microphone:
    'M12 15a3 3 0 0 0 3-3V6a3 3 0 1 0-6 0v6a3 3 0 0 0 3 3Zm5-3a5 5 0 0 1-10 0H5a7 7 0 0 0 6 6.9V22h2v-3.1a7 7 0 0 0 6-6.9h-2Z',
  up: 'M2 10h4v11H2V10Zm20 1.5c0-1-.9-1.9-2-1.9h-5.6l.9-4.3v-.3c0-.4-.2-.8-.5-1L13.8 3 8 8.9V19c0 1.1.9 2 2 2h8c.8 0 1.5-.5 1.8-1.2l2.1-5.5c.1-.2.1-.5.1-.7v-2.1Z',
  down: 'M22 14h-4V3h4v11ZM2 12.5c0 1 .9 1.9 2 1.9h5.6l-.9 4.3v.3c0 .4.2.8.5 1l1 1 5.8-5.9V5c0-1.1-.9-2-2-2H6c-.8 0-1.5.5-1.8 1.2L2.1 9.7c-.1.2-.1.5-.1.7v2.1Z',
  arrowDown: 'm12 16 6-6-1.4-1.4-4.6 4.6-4.6-4.6L6 10l6 6Z',
  person: 'M12 12a4 4 0 1 0 0-8 4 4 0 0 0 0 8Zm0 2c-3.3 0-8 1.7-8 5v1h16v-1c0-3.3-4.7-5-8-5Z',
  form: 'M6 3h9l4 4v14H6V3Zm2 6v2h8V9H8Zm0 4v2h8v-2H8Zm0 4v2h5v-2H8Z',
};

/** A decorative icon. The control around it has the label. */
export function Icon({ name }: { name: keyof typeof paths }) {
  return (
    <svg viewBox="0 0 24 24" aria-hidden="true">
      <path d={paths[name]} />
    </svg>
  );
}

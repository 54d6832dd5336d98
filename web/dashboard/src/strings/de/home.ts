export const home = {
  title: 'Start',
};

import '@mantine/dates/styles.css';
import 'dayjs/locale/de.js';
import { useLanguage } from '../strings/strings.tsx';

/** Properties of every picker of a time: the reader's language, and an order of day and month that every reader understands. */
export function usePicker() {
  const { language } = useLanguage();
  return { locale: language, valueFormat: 'YYYY-MM-DD HH:mm', clearable: true };
}

import '@mantine/dates/styles.css';
import 'dayjs/locale/de.js';

import { PageTitle } from '../../parts/page-title.tsx';
import { useStrings } from '../../strings/strings.tsx';

export function Page() {
  const { home } = useStrings();
  return <PageTitle title={home.title} />;
}

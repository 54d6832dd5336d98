import { LabelDetailPage } from '../../labels/label-detail.tsx';

/** One brand. */
export const Page = () => <LabelDetailPage subject="brand" />;

import { LabelDetailPage } from '../../labels/label-detail.tsx';

/** One category. */
export const Page = () => <LabelDetailPage subject="category" />;

import { LabelList } from '../../labels/label-list.tsx';

/** All categories. */
export const Page = () => <LabelList subject="category" />;

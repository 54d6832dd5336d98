import { LabelList } from '../../labels/label-list.tsx';

/** All brands. */
export const Page = () => <LabelList subject="brand" />;

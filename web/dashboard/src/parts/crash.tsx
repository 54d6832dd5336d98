import { Button } from '@mantine/core';
import { IconAlertTriangle } from '@tabler/icons-react';
import { Component, type ReactNode } from 'react';
import { useStrings } from '../strings/strings.tsx';
import { PageState } from './states.tsx';

interface Props {
  /** A crash ends when this changes. */
  place?: string;
  children: ReactNode;
}

/** Catches exceptions of the components below, such as a page that fails to load after a deployment. */
export class Crash extends Component<Props, { crashed: boolean }> {
  override state = { crashed: false };
  static getDerivedStateFromError = () => ({ crashed: true });

  override componentDidUpdate(before: Props) {
    if (this.state.crashed && before.place !== this.props.place) this.setState({ crashed: false });
  }

  override render() {
    return this.state.crashed ? <Crashed /> : this.props.children;
  }
}

function Crashed() {
  const { states } = useStrings();
  return (
    <PageState icon={IconAlertTriangle} title={states.crashed} text={states.crashedText}>
      <Button onClick={() => location.reload()}>{states.reload}</Button>
    </PageState>
  );
}

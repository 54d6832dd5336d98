import {
  context,
  type Link,
  propagation,
  ROOT_CONTEXT,
  type SpanContext,
  SpanKind,
  SpanStatusCode,
  trace,
} from '@opentelemetry/api';
import type { Context } from '@temporalio/activity';
import type { WorkflowClientInterceptor } from '@temporalio/client';
import type { ActivityInterceptors, InjectedSinks } from '@temporalio/worker';
import { currentTrace, endWith, inSpan, startSpanWithId } from '../../platform/telemetry/index.ts';
import { type TraceSinks, traceOf, withTrace } from './interceptors.ts';

/** Items of a job that belong to the trace of the job. The rest start traces of their own, so that no trace grows without limit. */
const TRACED_ITEMS = 100;

const tracer = () => trace.getTracer('temporal');
const contextOf = (traceparent: string) => propagation.extract(ROOT_CONTEXT, { traceparent });

/** Sends the active trace with the start of a workflow. */
export const clientTracing: WorkflowClientInterceptor = {
  startWithDetails(input, next) {
    const { workflowId } = input.options;
    return inSpan(`start ${input.workflowType}`, { 'temporal.workflow_id': workflowId }, () => {
      const own = currentTrace();
      return next(own === null ? input : { ...input, headers: withTrace(input.headers, own) });
    });
  },
};

/** Runs the activities of a traced workflow in a span. The activities of schedules have no trace. */
export const activityTracing = ({ info }: Context): ActivityInterceptors => ({
  inbound: {
    execute(input, next) {
      const traceparent = traceOf(input.headers);
      if (traceparent === undefined) return next(input);
      const { activityType, attempt, workflowExecution } = info;
      const attributes = { 'temporal.workflow_id': workflowExecution?.workflowId, 'temporal.attempt': attempt };
      const parent = contextOf(traceparent);
      const own = isFarItem(input.args) ? { root: true, links: linksTo(trace.getSpanContext(parent)) } : {};
      const span = tracer().startSpan(activityType, { kind: SpanKind.CONSUMER, attributes, ...own }, parent);
      return context.with(trace.setSpan(parent, span), () => endWith(span, () => next(input)));
    },
  },
});

const isFarItem = ([item]: unknown[]) => ((item as { turn?: number } | undefined)?.turn ?? 0) >= TRACED_ITEMS;

const linksTo = (linked: SpanContext | undefined): Link[] => (linked ? [{ context: linked }] : []);

/** Records the spans of workflow runs, which the sandbox cannot send itself. */
export const traceSinks: InjectedSinks<TraceSinks> = {
  traces: {
    end: {
      fn({ workflowType, workflowId, runStartTime }, parent, spanId, failed) {
        const attributes = { 'temporal.workflow_id': workflowId };
        const span = startSpanWithId(spanId, () =>
          tracer().startSpan(`run ${workflowType}`, { startTime: runStartTime, attributes }, contextOf(parent)),
        );
        if (failed) span.setStatus({ code: SpanStatusCode.ERROR });
        span.end();
      },
    },
  },
};

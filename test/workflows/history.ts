import type { HistoryEvent } from './workflow-lab.ts';

/** Between two events of a written history. */
const STEP_MS = 10;

/**
 * Writes the event history that a server would have kept, event by event, to be replayed without one: each step below
 * is what happened in the world, and a workflow task follows each, as on a server.
 */
export class History {
  readonly events: HistoryEvent[] = [];
  #timeMs = Date.UTC(2026, 0, 1);
  #lastTask = 0;
  readonly #seqs = { activity: 0, timer: 0 };
  readonly #timers = new Map<string, number>();

  /** A workflow that was started with these arguments, and told something before its first task where given. */
  constructor(workflowType: string, args: readonly unknown[], signal?: string, payload?: unknown) {
    this.#add('WORKFLOW_EXECUTION_STARTED', {
      workflowType: { name: workflowType },
      taskQueue: { name: 'decorum' },
      input: payloads(args),
      originalExecutionRunId: '00000000-0000-4000-8000-000000000001',
      firstExecutionRunId: '00000000-0000-4000-8000-000000000001',
      workflowTaskTimeout: '10s',
      attempt: 1,
    });
    if (signal !== undefined) this.#signalled(signal, payload);
    this.#task();
  }

  /** An activity that the workflow asked for and that came to `result`. */
  activity(name: string, result?: unknown): this {
    const scheduledEventId = this.#schedule(name);
    this.#complete(scheduledEventId, result);
    this.#task();
    return this;
  }

  /** A timer that ran its whole time. */
  timer(seconds: number): this {
    const [timerId, startedEventId] = this.#startTimer(seconds);
    this.#timeMs += seconds * 1_000;
    this.#add('TIMER_FIRED', { timerId, startedEventId });
    this.#task();
    return this;
  }

  /** A timer that something ended early, by `cancelTimer`. */
  startTimer(seconds: number): this {
    this.#startTimer(seconds);
    return this;
  }

  /** The workflow gave up the timer that it started last. */
  cancelTimer(): this {
    const [timerId, startedEventId] = [...this.#timers].at(-1) ?? ['', 0];
    this.#add('TIMER_CANCELED', { timerId, startedEventId: String(startedEventId) });
    return this;
  }

  signal(name: string, payload?: unknown): this {
    this.#signalled(name, payload);
    this.#task();
    return this;
  }

  /** The workflow changed its search attributes. */
  upsert(): this {
    this.#add('UPSERT_WORKFLOW_SEARCH_ATTRIBUTES', {
      workflowTaskCompletedEventId: String(this.#lastTask),
      searchAttributes: { indexedFields: {} },
    });
    return this;
  }

  continuedAsNew(workflowType: string): this {
    this.#add('WORKFLOW_EXECUTION_CONTINUED_AS_NEW', {
      newExecutionRunId: '00000000-0000-4000-8000-000000000002',
      workflowType: { name: workflowType },
      workflowTaskCompletedEventId: String(this.#lastTask),
    });
    return this;
  }

  completed(result?: unknown): this {
    this.#add('WORKFLOW_EXECUTION_COMPLETED', {
      result: payloads([result]),
      workflowTaskCompletedEventId: String(this.#lastTask),
    });
    return this;
  }

  #schedule(name: string): string {
    this.#seqs.activity += 1;
    return this.#add('ACTIVITY_TASK_SCHEDULED', {
      activityId: String(this.#seqs.activity),
      activityType: { name },
      taskQueue: { name: 'decorum' },
      workflowTaskCompletedEventId: String(this.#lastTask),
    });
  }

  #complete(scheduledEventId: string, result: unknown): void {
    const startedEventId = this.#add('ACTIVITY_TASK_STARTED', { scheduledEventId, attempt: 1 });
    const event = { scheduledEventId, startedEventId, result: payloads([result]) };
    this.#add('ACTIVITY_TASK_COMPLETED', event);
  }

  #startTimer(seconds: number): readonly [timerId: string, startedEventId: string] {
    this.#seqs.timer += 1;
    const timerId = String(this.#seqs.timer);
    const startedEventId = this.#add('TIMER_STARTED', {
      timerId,
      startToFireTimeout: `${String(seconds)}s`,
      workflowTaskCompletedEventId: String(this.#lastTask),
    });
    this.#timers.set(timerId, Number(startedEventId));
    return [timerId, startedEventId];
  }

  #signalled(signalName: string, payload?: unknown): void {
    const input = payload === undefined ? {} : { input: payloads([payload]) };
    this.#add('WORKFLOW_EXECUTION_SIGNALED', { signalName, ...input });
  }

  #task(): void {
    const scheduledEventId = this.#add('WORKFLOW_TASK_SCHEDULED', {
      taskQueue: { name: 'decorum' },
    });
    const startedEventId = this.#add('WORKFLOW_TASK_STARTED', { scheduledEventId });
    this.#lastTask = Number(
      this.#add('WORKFLOW_TASK_COMPLETED', { scheduledEventId, startedEventId }),
    );
  }

  /** Gives the event's number. */
  #add(type: string, attributes: object): string {
    this.#timeMs += STEP_MS;
    const eventId = String(this.events.length + 1);
    const name = type
      .toLowerCase()
      .replaceAll(/_(\w)/gu, (_, letter: string) => letter.toUpperCase());
    this.events.push({
      eventId,
      eventTime: new Date(this.#timeMs).toISOString(),
      eventType: `EVENT_TYPE_${type}`,
      [`${name}EventAttributes`]: attributes,
    });
    return eventId;
  }
}

function payloads(values: readonly unknown[]): object {
  return {
    payloads: values.map((value) =>
      value === undefined
        ? { metadata: { encoding: base64('binary/null') } }
        : { metadata: { encoding: base64('json/plain') }, data: base64(JSON.stringify(value)) },
    ),
  };
}

function base64(text: string): string {
  return Buffer.from(text).toString('base64');
}

import { failure, type Result, success } from '@moorage/base';
import type {
  HttpAnswer,
  HttpMessage,
  MailMessage,
  MqttMessage,
  Outbound,
  OutboundError,
} from '../engine/outbound/ports.ts';

type Message = HttpMessage | MqttMessage | MailMessage;

/** The network outside, as a test wants it: it keeps what was sent and answers from a list, then with 200. */
export function fakeOutbound() {
  const sent: Message[] = [];
  const answers: Result<HttpAnswer, OutboundError>[] = [];
  let waiting: (() => void)[] | undefined;
  const next = async (message: Message): Promise<Result<HttpAnswer, OutboundError>> => {
    sent.push(message);
    const held = waiting;
    if (held) await new Promise<void>((resolve) => held.push(resolve));
    return answers.shift() ?? success({ status: 200, body: '{"thanks":true}' });
  };
  const taken = async (message: Message): Promise<Result<undefined, OutboundError>> => {
    const answer = await next(message);
    return answer.ok ? success(undefined) : answer;
  };
  const outbound: Outbound = {
    refusedHost: (url) => (new URL(url).hostname === '10.0.0.1' ? '10.0.0.1' : undefined),
    sendHttp: next,
    linkMqtt: () => ({ isConnected: false, retain: async () => false, subscribe: async () => false, async close() {} }),
    publish: taken,
    sendMail: async (message) => {
      const answer = await next(message);
      return answer.ok ? success([]) : answer;
    },
  };
  return {
    outbound,
    sent,
    answer: (status: number, body = '') => answers.push(success({ status, body })),
    fail: (error: OutboundError) => answers.push(failure(error)),
    /** Keeps every answer back until the returned function is called. */
    hold() {
      const held: (() => void)[] = [];
      waiting = held;
      return () => {
        waiting = undefined;
        for (const release of held) release();
      };
    },
  };
}

import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import type { AnswerHeaders } from './answer-headers.ts';
import type { CountAnswer } from './traffic.ts';

/** Answers that are found without the framework: those of one route. */
export interface ReadyAnswers {
  /** Its path as the router has it, under which such answers are counted. */
  readonly route: string;
  /** JSON that all the checks of the route let out; nothing when that is for the framework to say. */
  find(request: IncomingMessage): string | undefined | Promise<string | undefined>;
  /** Milliseconds that only ever grow. */
  monotonic(): number;
}

/** Sends JSON that is text already, with these headers beside those that the response has. */
export function sendReady(response: ServerResponse, json: string, headers?: ReturnType<AnswerHeaders>): void {
  response.writeHead(200, {
    ...headers,
    'content-type': 'application/json; charset=utf-8',
    'content-length': Buffer.byteLength(json),
  });
  response.end(json);
}

/**
 * Sends what is found before the framework looks at a request: of the busiest call most of the time would go into
 * routing, validating and hooks that have all said yes to the same caller before. Everything else goes on to it.
 *
 * @param isOpen false once the server is being stopped
 */
export const readyFirst =
  (
    answers: ReadyAnswers,
    headersOf: AnswerHeaders,
    count: CountAnswer | undefined,
    isOpen: () => boolean,
    otherwise: RequestListener,
  ) =>
  (request: IncomingMessage, response: ServerResponse): void => {
    const startMs = answers.monotonic();
    const pass = () => otherwise(request, response as Parameters<RequestListener>[1]);
    const answer = (json: string | undefined): void => {
      if (json === undefined) {
        pass();
        return;
      }
      request.resume();
      sendReady(response, json, headersOf(request.headers));
      count?.(200, answers.monotonic() - startMs);
    };
    const found = request.method === 'GET' && isOpen() ? answers.find(request) : undefined;
    // What cannot be read is told by the framework, when it cannot read it either.
    if (found instanceof Promise) found.then(answer, pass);
    else answer(found);
  };

import type { Result } from '@moorage/base';

/** Why nothing came back: refused by our own rules, the target failed, or took too long. */
export type OutboundError =
  | { readonly kind: 'not_allowed'; readonly host: string }
  | { readonly kind: 'failed'; readonly detail: string }
  | { readonly kind: 'timed_out' };

export interface HttpMessage {
  readonly url: string;
  readonly method: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  readonly timeoutMs: number;
}

/** What a target answered; a redirect is an answer like any other. */
export interface HttpAnswer {
  readonly status: number;
  readonly body: string;
}

export interface MqttMessage {
  readonly url: string;
  readonly username?: string | undefined;
  readonly password?: string | undefined;
  /** Certificate of the authority to trust, PEM. */
  readonly ca?: string | undefined;
  readonly topic: string;
  readonly payload: string;
  readonly qos: 0 | 1 | 2;
  readonly timeoutMs: number;
}

/** A connection to a broker that is made again whenever it ends, until it is closed. */
export interface MqttLinkOptions extends Pick<MqttMessage, 'url' | 'username' | 'password' | 'ca' | 'timeoutMs'> {
  /** What the broker says for us when the connection breaks; retained. */
  readonly will?: { readonly topic: string; readonly payload: string };
}

export interface MqttLinkEvents {
  /** Connected, the first time or again: the broker knows of no subscription. */
  connected(): void;
  /** A message of a subscription. `isRetained`: the broker has kept it since before. */
  message(topic: string, payload: string, isRetained: boolean): void;
  /** A connection could not be made, or broke. */
  failed(error: OutboundError): void;
}

export interface MqttLink {
  readonly isConnected: boolean;
  /** Publishes a message that the broker keeps; an empty one takes it back. False when the broker did not take it. */
  retain(topic: string, payload: string): Promise<boolean>;
  /** False when the broker did not take it. */
  subscribe(filters: readonly string[]): Promise<boolean>;
  /** Ends the connection in order: the will is not published. */
  close(): Promise<void>;
}

/** Where mails are handed over, and who sends them. */
export interface MailServer {
  /** `smtp://` or `smtps://`, with a login where there is one; without it no mail is sent. */
  readonly smtpUrl?: string | undefined;
  /** An address, or a name with the address in angle brackets. */
  readonly mailFrom?: string;
}

/** A mail to people, in plain text. */
export interface MailMessage {
  /** Part of the `Message-ID` before the `@`: a mail that is sent twice is recognised by it. */
  readonly id: string;
  readonly to: readonly string[];
  readonly subject: string;
  readonly text: string;
  readonly timeoutMs: number;
}

/** A recipient that the mail server has not taken, while it took another. */
export interface RefusedRecipient {
  readonly address: string;
  /** What the server answered: from 500 on it is not worth another try. */
  readonly code: number;
}

/** The way out of the machine. It never throws for what the target or the network does. */
export interface Outbound {
  /** The host of a URL when its very spelling shows that it may not be called; names are judged when they are resolved. */
  refusedHost(url: string): string | undefined;
  sendHttp(message: HttpMessage): Promise<Result<HttpAnswer, OutboundError>>;
  /** Resolves when the broker has taken the message, as its quality of service says. */
  publish(message: MqttMessage): Promise<Result<undefined, OutboundError>>;
  /** Opens a connection that stays. */
  linkMqtt(options: MqttLinkOptions, events: MqttLinkEvents): MqttLink;
  /** Resolves when the mail server of the settings has taken the mail for some recipient; without a server that fails. */
  sendMail(message: MailMessage): Promise<Result<readonly RefusedRecipient[], OutboundError>>;
}

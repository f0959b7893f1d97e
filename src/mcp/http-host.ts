import type { ProcessHost } from './lifecycle.ts';

export interface HttpAddress {
  readonly host: string;
  /** 0 takes a free one. */
  readonly port: number;
}

export interface HttpHost extends ProcessHost {
  readonly address: HttpAddress;
  /** Asked of every request; `undefined` leaves the door open and is for test servers alone. */
  readonly token: string | undefined;
  /** A server that a person started in a terminal may outlive it on purpose (`nohup`); one that a host started may not. */
  readonly endsWithParent: boolean;
  onListening(url: string): void;
  log(line: string): void;
}

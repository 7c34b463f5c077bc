import { NetworkCommandFailed, runInNetworkNamespace } from '#runtime/network/network-namespace.ts'
import { UnsupportedGuest } from '../domain/unsupported-guest.ts'

/** A shell script, with its arguments and its standard input. */
export interface NetworkScript {
  readonly script: string
  readonly args: readonly string[]
  /** Rules of nftables. */
  readonly rules: string
}

/** Runs a script in the network namespace of a guest. @throws UnsupportedGuest when it fails */
export async function runForGuest(namespace: string, { script, args, rules }: NetworkScript): Promise<void> {
  await asUnsupported(runInNetworkNamespace(namespace, ['/bin/sh', '-ec', script, 'sh', ...args], rules))
}

/**
 * Awaits a command in the network namespace of a guest, which does not start without it.
 * @throws UnsupportedGuest when it fails
 */
export async function asUnsupported<T>(command: Promise<T>): Promise<T> {
  try {
    return await command
  } catch (error) {
    if (!(error instanceof NetworkCommandFailed)) throw error
    throw new UnsupportedGuest(`the guest cannot be connected to the pod network: ${error.message}`, { cause: error })
  }
}

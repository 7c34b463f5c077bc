import { setTimeout as sleep } from 'node:timers/promises'
import { findRunningGuest } from '#cli/cluster/running-guest.ts'
import { LOOK_AGAIN_MS, runWhenReachable } from '#machine/guests/run-command.ts'
import { findGuests } from '#machine/guests/running-guests.ts'
import type { GuestCommandResult } from '#machine/guests/serial-console.ts'

/** A guest of a cluster in machine mode. */
export interface GuestOfMachine {
  /** Data directory of the cluster. */
  readonly home: string
  readonly namespace: string
  readonly name: string
}

/**
 * Runs a command in a guest as `steadyvm console --run` does, in the process of the test: a program
 * for each command costs as much processor time as what it asks for.
 */
export async function runInGuest({ home, namespace, name }: GuestOfMachine, command: string): Promise<GuestCommandResult> {
  const deadline = Date.now() + 300_000
  const findConsole = async (): Promise<string> => {
    for (;;) {
      const guest = await findRunningGuest(findGuests(home), namespace, name)
      if (guest?.serialSocket !== undefined) return guest.serialSocket
      if (Date.now() > deadline) throw new Error(`no QEMU of the guest "${namespace}/${name}" runs`)
      await sleep(LOOK_AGAIN_MS)
    }
  }
  return runWhenReachable({ command, findConsole, deadline, now: () => Date.now(), sleep })
}

import { channelSource, type Source } from '#runtime/controller/source.ts'
import { hyperConvergedKey } from '../names.ts'

/** Tells the operator whether its webhooks have been registered in the life of the process. */
export interface RegistrationState {
  readonly isRegistered: boolean
  readonly source: Source
  /** Wakes the operator the first time. */
  report(): void
}

/** Creates the state before the registration. */
export function createRegistrationState(): RegistrationState {
  const source = channelSource()
  let isRegistered = false
  return {
    get isRegistered() {
      return isRegistered
    },
    source,
    report() {
      if (isRegistered) return
      isRegistered = true
      source.enqueue(hyperConvergedKey)
    },
  }
}

import type { VirtualMachine } from '#api/kubevirt/v1/virtual-machine.ts'
import { isConflict } from '#apimachinery/errors.ts'
import { TransportError } from '#client/client.ts'
import type { Request } from '#runtime/controller/reconcile.ts'
import type { Recorder } from '#runtime/recorder/recorder.ts'
import type { Problem } from './decide.ts'
import type { Renames } from './move.ts'

/** Tells the owners of VMs what became of their revisions. */
export interface Report {
  /** It went well. */
  moved(vm: VirtualMachine, renames: Renames): void
  /** Told once, until it changes. */
  problems(vm: VirtualMachine, problems: readonly Problem[]): void
  /** Told once, until it changes. */
  failed(vm: VirtualMachine, error: unknown): void
  /** The VM is gone. */
  forget(request: Request): void
}

/** Makes a report that records events. */
export function createReport(recorder: Pick<Recorder, 'event'>): Report {
  const problems = new Map<string, string>()
  const failures = new Map<string, string>()
  const tell = (told: Map<string, string>, vm: VirtualMachine, message: string): void => {
    const key = keyOf({ namespace: vm.metadata.namespace ?? '', name: vm.metadata.name ?? '' })
    if ((told.get(key) ?? '') === message) return
    if (message === '') told.delete(key)
    else told.set(key, message)
    if (message !== '') recorder.event(vm, 'Warning', 'InstancetypeRevisionUpgradeFailed', message)
  }
  return {
    moved(vm, renames) {
      tell(failures, vm, '')
      if (renames.size === 0) return
      const list = [...renames].map(([old, now]) => `${old} by ${now}`).join(', ')
      recorder.event(vm, 'Normal', 'InstancetypeRevisionUpgraded', `Replaced ControllerRevision ${list}`)
    },
    problems: (vm, found) => tell(problems, vm, found.map(({ message }) => message).join('; ')),
    failed(vm, error) {
      // A lost race or connection says nothing about the VM.
      if (isConflict(error) || error instanceof TransportError) return
      tell(failures, vm, error instanceof Error ? error.message : String(error))
    },
    forget(request) {
      for (const told of [problems, failures]) told.delete(keyOf(request))
    },
  }
}

function keyOf({ namespace, name }: Request): string {
  return `${namespace}/${name}`
}

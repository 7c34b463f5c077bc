import type { KubeObject } from '#apimachinery/meta/object-meta.ts'
import { isConflict, isNotFound } from '#apimachinery/errors.ts'
import { TransportError } from '#client/client.ts'
import type { Request } from '#runtime/controller/reconcile.ts'
import type { Recorder } from '#runtime/recorder/recorder.ts'
import type { Problem } from './decide.ts'
import type { Renames } from './rename-references.ts'

/** Reports the upgrade of revisions as events of VMs and snapshots. */
export interface UpgradeReporter {
  /** Records an upgrade, and clears the last failure. */
  moved(holder: KubeObject, renames: Renames): void
  /** Records problems, once until they change. Returns whether an event was recorded. */
  problems(holder: KubeObject, problems: readonly Pick<Problem, 'message'>[]): boolean
  /** See {@link problems}. */
  failed(holder: KubeObject, error: unknown): boolean
  /** Forgets a deleted VM or snapshot. */
  forget(request: Request): void
}

/** Returns a reporter that records events. */
export function createUpgradeReporter(recorder: Pick<Recorder, 'event'>): UpgradeReporter {
  const problems = new Map<string, string>()
  const failures = new Map<string, string>()
  const tell = (told: Map<string, string>, holder: KubeObject, message: string): boolean => {
    const key = keyOf({ namespace: holder.metadata?.namespace ?? '', name: holder.metadata?.name ?? '' })
    if ((told.get(key) ?? '') === message) return false
    if (message === '') told.delete(key)
    else told.set(key, message)
    if (message !== '') recorder.event(holder, 'Warning', 'InstancetypeRevisionUpgradeFailed', message)
    return message !== ''
  }
  return {
    moved(holder, renames) {
      tell(failures, holder, '')
      if (renames.size === 0) return
      const list = [...renames].map(([old, now]) => `${old} by ${now}`).join(', ')
      recorder.event(holder, 'Normal', 'InstancetypeRevisionUpgraded', `Replaced ControllerRevision ${list}`)
    },
    problems: (holder, found) => tell(problems, holder, found.map(({ message }) => message).join('; ')),
    failed(holder, error) {
      // Conflicts, transport errors and deleted objects are no failures of the upgrade.
      if (isConflict(error) || isNotFound(error) || error instanceof TransportError) return false
      return tell(failures, holder, error instanceof Error ? error.message : String(error))
    },
    forget(request) {
      for (const told of [problems, failures]) told.delete(keyOf(request))
    },
  }
}

function keyOf({ namespace, name }: Request): string {
  return `${namespace}/${name}`
}

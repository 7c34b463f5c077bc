import type { PersistentVolumeClaimSpec } from '#api/core/v1/persistent-volume-claim.ts'
import type { Param, ParamValue } from '../manifest/parameter.ts'
import type { WhenExpression, WorkspaceUse } from '../manifest/pipeline.ts'
import type { PodTemplate } from '../manifest/pod-template.ts'
import type { TaskSpec } from '../manifest/task.ts'

/** A task of a run, with everything that it does. */
export interface PlannedTask {
  readonly name: string
  /** Runs at the end, whatever has happened. */
  readonly isFinal: boolean
  readonly spec: TaskSpec
  readonly params: readonly Param[]
  readonly when: readonly WhenExpression[]
  readonly runAfter: readonly string[]
  readonly retries: number
  readonly timeoutMs?: number
  readonly workspaces: readonly WorkspaceUse[]
}

/** What a workspace is, for all tasks of a run. */
export type WorkspaceBinding =
  | { readonly kind: 'claim'; readonly name: string; readonly subPath?: string }
  /** A claim that the run creates and owns. */
  | { readonly kind: 'template'; readonly spec: PersistentVolumeClaimSpec; readonly subPath?: string }
  | { readonly kind: 'emptydir' }
  | { readonly kind: 'configmap'; readonly name: string }
  | { readonly kind: 'secret'; readonly name: string }
  | { readonly kind: 'folder'; readonly path: string }

/** Limits of a run in milliseconds; absent: none. */
export interface RunTimeouts {
  readonly pipeline?: number
  readonly tasks?: number
  readonly finally?: number
}

/** A run as it was asked for, complete: nothing is read from files or the catalogue any more. */
export interface RunPlan {
  readonly pipeline: string
  readonly tasks: readonly PlannedTask[]
  readonly params: Readonly<Record<string, ParamValue>>
  readonly workspaces: Readonly<Record<string, WorkspaceBinding>>
  readonly results: readonly Param[]
  readonly timeouts: RunTimeouts
  /** ServiceAccounts of tasks; the one of the empty name is that of all others. */
  readonly serviceAccounts: Readonly<Record<string, string>>
  /** Templates of pods of tasks; the one of the empty name is that of all others. */
  readonly podTemplates?: Readonly<Record<string, PodTemplate>>
  /** Image whose command `collect-results` reads results. */
  readonly collectorImage: string
}

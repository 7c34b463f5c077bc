import type { Duplex } from 'node:stream'
import type { PolicyRule } from '#api/rbac/v1/role.ts'
import type { KubeObject } from '#apimachinery/meta/object-meta.ts'
import type { ResourceType } from '#apimachinery/meta/resource-type.ts'
import type { Client } from '#client/client.ts'
import type { Clock } from '#runtime/clock/clock.ts'
import type { ParameterValues } from './program/parameters.ts'
import type { RunCommand } from './program/run-command.ts'

/** A parameter of a task, by upstream's name. */
export interface TaskParameter {
  readonly name: string
  readonly description: string
  readonly type: 'string' | 'array'
  /** Environment variable that carries it. Without: a flag, and words after `--` for an array. */
  readonly environment?: string
  /** Without: required. */
  readonly default?: string | readonly string[]
}

/** A result of a task: the file of this name in the folder of results. */
export interface TaskResult {
  readonly name: string
  readonly description: string
}

/** A folder that a user may give to a task: `workspaces` of a Tekton Task. */
export interface TaskWorkspace {
  readonly name: string
  readonly description: string
  readonly optional: boolean
  readonly mountPath: string
}

/** A volume of the pod of a task, with its mount. */
export interface TaskVolume {
  readonly name: string
  readonly mountPath: string
  readonly readOnly?: boolean
  /** Source as in a pod; `$(params.NAME)` is replaced by Tekton. */
  readonly source: Readonly<Record<string, unknown>>
}

/** Results by their names. */
export type TaskResults = Readonly<Record<string, string>>

/** A guest-OS task. */
export interface TaskDefinition {
  readonly name: string
  /** What it does, in one or two sentences. */
  readonly description: string
  readonly parameters: readonly TaskParameter[]
  readonly results: readonly TaskResult[]
  readonly workspaces?: readonly TaskWorkspace[]
  readonly volumes?: readonly TaskVolume[]
  /** Environment variables of its step that are no parameters: name and value. */
  readonly environment?: Readonly<Record<string, string>>
  /** Name of its image. Default: that of all tasks. */
  readonly image?: string
  /** Id of its user and group. Default: that of the image. */
  readonly user?: number
  /** Rights of its service account. */
  readonly rules: readonly PolicyRule[]
  /** @throws TaskFailed, StatusError */
  readonly run: (context: TaskContext) => Promise<TaskResults>
}

/** A port of a guest. */
export interface GuestPort {
  readonly namespace: string
  readonly name: string
  readonly port: number
}

/** What a task works with. */
export interface TaskContext {
  readonly parameters: ParameterValues
  readonly client: Client
  /** Namespace of the program: where a parameter names none. */
  readonly namespace: string
  /**
   * Identity of the run. A run that was killed and begins again has the same, and takes up what it
   * has created. Undefined: not known.
   */
  readonly run: string | undefined
  /** Environment of the program. */
  readonly environment: Readonly<Record<string, string | undefined>>
  /** Aborted when the program shall end. */
  readonly signal: AbortSignal
  readonly clock: Clock
  /** Random numbers in [0, 1). */
  readonly random: () => number
  /** Prints a line of progress. */
  readonly log: (line: string) => void
  readonly runCommand: RunCommand
  /** Connects a TCP port of a guest through the API server. */
  readonly openGuestPort: (port: GuestPort) => Promise<Duplex>
  /** Asks the API server for the resource of a kind. Undefined: it has none. */
  readonly findResource: (type: { readonly apiVersion: string; readonly kind: string }) => Promise<ResourceType<KubeObject> | undefined>
  /** Folder for files of this run, private and removed at its end. */
  readonly directory: string
}

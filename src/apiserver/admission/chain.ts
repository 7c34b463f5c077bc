import type { KubeObject } from '#apimachinery/meta/object-meta.ts'
import type { RequestContext, Target } from '#apiserver/request/api-request.ts'

/** A write to be admitted. */
export interface AdmissionRequest {
  readonly operation: 'CREATE' | 'UPDATE' | 'DELETE' | 'CONNECT'
  readonly target: Target
  /** Undefined for DELETE. */
  readonly object: KubeObject | undefined
  /** Undefined for CREATE. */
  readonly old: KubeObject | undefined
  readonly dryRun: boolean
  readonly context: RequestContext
}

/** A connection to be admitted: `pods/exec`, `pods/attach`, `pods/portforward`. */
export interface ConnectRequest {
  readonly target: Target
  /** The query as an object: PodExecOptions and the like. */
  readonly options: KubeObject
  readonly context: RequestContext
}

/** A plugin of the admission chain. Plugins run in order; all mutators run before validators. */
export interface AdmissionPlugin {
  readonly name: string
  /** Storage keys of the resources that the plugin handles. Default: all. */
  readonly resources?: ReadonlySet<string>
  /** Returns the changed object, or undefined for no change. Never mutates its argument. */
  mutate?(request: AdmissionRequest): Promise<KubeObject | undefined> | KubeObject | undefined
  /** Throws a StatusError to refuse. */
  validate?(request: AdmissionRequest): Promise<void> | void
  /** Throws a StatusError to refuse a connection. */
  connect?(request: ConnectRequest): Promise<void> | void
}

/** Presents a connection as a request with operation CONNECT, whose object is the options. */
export function asAdmission({ target, options, context }: ConnectRequest): AdmissionRequest {
  return { operation: 'CONNECT', target, object: options, old: undefined, dryRun: false, context }
}

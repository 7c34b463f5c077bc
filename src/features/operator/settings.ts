import type { LocalObjectReference } from '#api/core/v1/references.ts'
import type { CustomizeComponents, KubeVirtSpec, NodePlacement } from '#api/kubevirt/v1/kubevirt.ts'

/** What a KubeVirt object says about how the components run, apart from which version of them. */
export interface Settings {
  readonly infra: NodePlacement
  /** How many of the API servers and the controllers; undefined: the usual number. */
  readonly replicas: number | undefined
  readonly workloads: NodePlacement
  readonly imagePullPolicy: string | undefined
  readonly imagePullSecrets: readonly LocalObjectReference[]
  /** By which a product tells what is a part of it. */
  readonly labels: Readonly<Record<string, string>>
  readonly customize: CustomizeComponents
}

/** Reads them. What is not said is empty. Pure. */
export function settingsOf({ infra, workloads, productVersion, productName, productComponent, ...spec }: KubeVirtSpec): Settings {
  const labels = {
    'app.kubernetes.io/version': productVersion,
    'app.kubernetes.io/part-of': productName,
    'app.kubernetes.io/component': productComponent,
  }
  return {
    infra: infra?.nodePlacement ?? {},
    replicas: infra?.replicas,
    workloads: workloads?.nodePlacement ?? {},
    imagePullPolicy: spec.imagePullPolicy || undefined,
    imagePullSecrets: spec.imagePullSecrets ?? [],
    labels: Object.fromEntries(
      Object.entries(labels).flatMap(([key, value]) => (value === undefined || value === '' ? [] : [[key, value]])),
    ),
    customize: spec.customizeComponents ?? {},
  }
}

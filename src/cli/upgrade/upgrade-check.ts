import type { KubeVirt } from '#api/kubevirt/v1/kubevirt.ts'
import type { Client } from '#client/client.ts'
import { objectsOf, infraSettingsOf, installStrategyOf, type Platform } from '#features/operator/index.ts'
import { checkClusterUpgrade, type Installer, type UpgradeCheck } from '#features/upgrade-check/index.ts'
import { REGISTRY } from '#machine/release/release.ts'
import { readLocalReleases } from './local-releases.ts'

/** Who looks, from where, and at what. */
export interface UpgradeCheckRequest {
  readonly to: string
  readonly kubevirt: KubeVirt
  /** Folder of all releases. */
  readonly releases: string
  /** PATH, for the hypervisor of releases that bring none. */
  readonly path: string | undefined
  /** What the place adds to what is installed, so far as that is known. */
  readonly platform?: Platform
  /** Absent: whoever looks. */
  readonly installer?: Installer
  readonly nowMs: number
  readonly signal: AbortSignal
  readonly onProgress?: (objects: number) => void
}

const nowhere: Platform = { args: {}, environment: {}, annotations: {}, controlPlaneNode: '' }

/**
 * Says what is in the way of an upgrade, by the releases on this machine: the same for the command
 * line and for the operator.
 */
export async function runUpgradeCheck(
  client: Pick<Client, 'list' | 'create'>,
  look: UpgradeCheckRequest,
): Promise<UpgradeCheck | undefined> {
  const { to, kubevirt, releases, path, platform = nowhere, nowMs, signal, onProgress } = look
  const { spec, status, metadata } = kubevirt
  const target = { version: to, registry: spec.imageRegistry || REGISTRY, namespace: metadata.namespace ?? '', platform }
  const strategy = installStrategyOf(target, infraSettingsOf(spec))
  return checkClusterUpgrade(client, {
    to,
    ...(await readLocalReleases({ releases, to, from: status?.observedKubeVirtVersion, path })),
    objects: objectsOf(strategy),
    patchProblems: strategy.problems,
    installer: look.installer,
    nowMs,
    signal,
    ...(onProgress === undefined ? {} : { onProgress }),
  })
}

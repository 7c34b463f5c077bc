import type { KubeVirt } from '#api/kubevirt/v1/kubevirt.ts'
import type { Client } from '#client/client.ts'
import { objectsOf, infraSettingsOf, installStrategyOf } from '#features/operator/index.ts'
import type { Platform } from '#runtime/process/platform.ts'
import { checkClusterUpgrade, type Installer, type UpgradeCheck } from '#features/upgrade-check/index.ts'
import { REGISTRY } from '#machine/release/release.ts'
import { createReleaseRenderer } from './render-release.ts'
import { readLocalReleases } from './local-releases.ts'

/** Parameters of {@link runUpgradeCheck}. */
export interface UpgradeCheckRequest {
  readonly to: string
  readonly kubevirt: KubeVirt
  /** Folder of all releases. */
  readonly releases: string
  /** PATH, to find the QEMU of releases without their own. */
  readonly path: string | undefined
  /** Platform settings that are added to the install strategy, when known. */
  readonly platform?: Platform
  /** Identity whose permissions are checked. Default: the caller's. */
  readonly installer?: Installer
  readonly nowMs: number
  readonly signal: AbortSignal
  readonly onProgress?: (objects: number) => void
}

const nowhere: Platform = { args: {}, environment: {}, annotations: {}, controlPlaneNode: '' }

/**
 * Checks what blocks an upgrade, from the releases on this machine. Used by `steadyvm upgrade
 * check` and by the operator.
 */
export async function runUpgradeCheck(
  client: Pick<Client, 'list' | 'create'>,
  look: UpgradeCheckRequest,
): Promise<UpgradeCheck | undefined> {
  const { to, kubevirt, releases, path, platform = nowhere, nowMs, signal, onProgress } = look
  const { spec, status, metadata } = kubevirt
  const target = { version: to, registry: spec.imageRegistry || REGISTRY, namespace: metadata.namespace ?? '', platform }
  const strategy = installStrategyOf(target, infraSettingsOf(spec))
  const local = await readLocalReleases({ releases, to, from: status?.observedKubeVirtVersion, path })
  return checkClusterUpgrade(client, {
    to,
    ...local,
    objects: objectsOf(strategy),
    patchProblems: strategy.problems,
    installer: look.installer,
    render: createReleaseRenderer(local, { releases, signal }),
    nowMs,
    signal,
    ...(onProgress === undefined ? {} : { onProgress }),
  })
}

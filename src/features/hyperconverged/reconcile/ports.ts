import type { Node } from '#api/core/v1/node.ts'
import type { HyperConverged } from '#api/hco/v1/hyperconverged.ts'
import type { ComponentOverride } from '#api/steadyvm/v1alpha1/component-override.ts'
import type { Client } from '#client/client.ts'
import type { Lister } from '#runtime/cache/lister.ts'
import type { Clock } from '#runtime/clock/clock.ts'
import type { Logger } from '#runtime/process/log.ts'
import type { Random } from '#runtime/process/random.ts'
import type { Recorder } from '#runtime/recorder/recorder.ts'
import type { ComponentCaches } from '../components/objects/caches.ts'
import type { UpgradeRules } from '../lifecycle/upgrade/patches/validate.ts'

/** Dependencies and settings of the operator. */
export interface Ports {
  readonly client: Pick<Client, 'get' | 'list' | 'patch' | 'delete'>
  readonly hyperconvergeds: Pick<Lister<HyperConverged>, 'get'>
  readonly overrides: Pick<Lister<ComponentOverride>, 'list'>
  readonly nodes: Pick<Lister<Node>, 'list'>
  readonly caches: Pick<ComponentCaches, 'observe'>
  readonly recorder: Pick<Recorder, 'event'>
  readonly clock: Clock
  readonly log: Logger
  readonly random: Random
  /** Version of the platform. */
  readonly version: string
  /** Namespace of the operator. */
  readonly namespace: string
  readonly environment: Readonly<Record<string, string | undefined>>
  /** What is known about upgrades to the version. */
  readonly upgradeRules: UpgradeRules
  /** Reports whether edits are checked by the webhooks. */
  readonly isAdmissionReady: () => boolean
}

import assert from 'node:assert/strict'
import { setTimeout as sleep } from 'node:timers/promises'
import type { CustomResourceDefinition } from '#api/apiextensions/v1/custom-resource-definition.ts'
import { nodes, pods } from '#api/core/v1/resources.ts'
import type { KubeVirt } from '#api/kubevirt/v1/kubevirt.ts'
import { kubeVirts } from '#api/kubevirt/v1/resources.ts'
import type { KubeObject } from '#apimachinery/meta/object-meta.ts'
import type { ResourceType } from '#apimachinery/meta/resource-type.ts'
import type { FindingId } from '#features/upgrade-check/index.ts'
import { type UpgradeLab } from '../../support/upgrade-lab.ts'

/** A cluster with one defect. */
export interface BadCluster {
  readonly id: FindingId
  readonly name: string
  /** Target version of the check. Default: a valid one. */
  readonly to?: string
  readonly seed: (lab: UpgradeLab) => Promise<unknown>
  /** Actions of other components after the finding's command has run. */
  readonly others?: (lab: UpgradeLab) => Promise<unknown>
  /** Restores the cluster if the fix leads to another valid state. */
  readonly restore?: (lab: UpgradeLab) => Promise<unknown>
}

export const key = { name: 'kubevirt', namespace: 'kubevirt' }
export const web = { name: 'web', namespace: 'default' }

export function merge<T extends KubeObject>(
  lab: UpgradeLab,
  resource: ResourceType<T>,
  place: { name: string; namespace?: string },
  body: object,
): Promise<T> {
  return lab.client.patch(resource, place, { type: 'merge', body })
}

export function status<T extends KubeObject>(
  lab: UpgradeLab,
  resource: ResourceType<T>,
  place: { name: string; namespace?: string },
  body: object,
): Promise<T> {
  return lab.client.patch(resource, place, { type: 'merge', body: { status: body } }, { subresource: 'status' })
}

export const kubevirt =
  (spec: object) =>
  (lab: UpgradeLab): Promise<KubeVirt> =>
    merge(lab, kubeVirts, key, { spec })
export const nodeNames = ['n1', 'n2', 'n3']

export function agentIs(lab: UpgradeLab, node: string, version: string): Promise<unknown> {
  const annotations = { 'kubevirt.io/install-strategy-version': version }
  return merge(lab, pods, { name: `virt-handler-${node}`, namespace: key.namespace }, { metadata: { annotations } })
}

/** Polls until a value is returned. @throws AssertionError when there is none within a minute */
export async function once<T>(look: () => Promise<T | undefined>): Promise<T> {
  const limit = Date.now() + 60_000
  while (Date.now() < limit) {
    const found = await look()
    if (found !== undefined) return found
    await sleep(50)
  }
  assert.fail('nobody has asked')
}

export function ready(lab: UpgradeLab, name: string, isReady: boolean): Promise<unknown> {
  return status(lab, nodes, { name }, { conditions: [{ type: 'Ready', status: isReady ? 'True' : 'False' }] })
}

export const isOf = (name: string) => (definition: CustomResourceDefinition) => definition.metadata.name === name
export const migrations = 'virtualmachineinstancemigrations.kubevirt.io'

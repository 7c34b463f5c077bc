import { kubeVirts } from '#api/kubevirt/v1/resources.ts'
import * as clean from '#features/upgrade-check/clean-cluster.fixture.ts'
import { type UpgradeLab } from '../../support/upgrade-lab.ts'
import { agentIs, key, kubevirt, nodeNames, once, status, type BadCluster } from './bad-cluster.ts'

const isAt =
  (version: string) =>
  async (lab: UpgradeLab): Promise<void> => {
    for (const name of nodeNames) await agentIs(lab, name, version)
    await status(lab, kubeVirts, key, { observedKubeVirtVersion: version, steadyvm: null })
  }

/** Simulates the operator, with an instant upgrade. */
async function operate(lab: UpgradeLab, from: string): Promise<unknown> {
  const version = await once(async () => {
    const { imageTag } = (await lab.client.get(kubeVirts, key)).spec
    return imageTag === undefined || imageTag === from ? undefined : imageTag
  })
  return isAt(version)(lab)
}

/** Defects of releases and upgrade paths. */
export const badReleases: readonly BadCluster[] = [
  { id: 'ReleaseMissing', name: 'a release that nobody has built', to: 'v0.6.0', seed: async () => {} },
  {
    id: 'ReleaseDamaged',
    name: 'a release with a file that is not what it was',
    to: 'v0.6.1',
    seed: async (lab) => lab.release('v0.6.1', { file: ['something else', 'a program'] }),
  },
  {
    id: 'PathNotAllowed',
    name: 'a release that needs another one before it',
    to: 'v0.4.0',
    seed: async (lab) => {
      lab.release('v0.3.0')
      lab.release('v0.4.0', { facts: { upgradesFrom: 'v0.3.0' } })
    },
    others: (lab) => operate(lab, clean.from),
    restore: async (lab) => {
      await kubevirt({ imageTag: null })(lab)
      await isAt(clean.from)(lab)
    },
  },
  {
    id: 'UpgradeUnderWay',
    name: 'an upgrade to another version that is not over',
    seed: async (lab) => {
      const at = new Date().toISOString()
      const progress = { desired: 3, updated: 1, ready: 1 }
      const upgrade = { from: clean.from, to: 'v0.1.9', stage: 'NodeAgents', startedAt: at, stageStartedAt: at, progress }
      await status(lab, kubeVirts, key, { observedGeneration: null, steadyvm: { upgrade } })
    },
    others: async (lab) => {
      const { generation = 0 } = (await lab.client.get(kubeVirts, key)).metadata
      const conditions = [{ type: 'Progressing', status: 'False' }]
      await status(lab, kubeVirts, key, { observedGeneration: generation, conditions, steadyvm: { upgrade: null } })
    },
  },
  {
    id: 'TakenBackBefore',
    name: 'a version that has failed before',
    seed: async (lab) => {
      await kubevirt({ imageTag: clean.to })(lab)
      const rejected = { version: clean.to, deploymentID: 'x', generation: 1, message: 'virt-handler ended with exit code 1' }
      await status(lab, kubeVirts, key, { steadyvm: { rejected } })
    },
    others: (lab) => operate(lab, clean.to),
    restore: kubevirt({ imageTag: null }),
  },
]

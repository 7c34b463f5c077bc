import assert from 'node:assert/strict'
import { after, before, suite, test } from 'node:test'
import { from, to } from '#features/upgrade-check/clean-cluster.fixture.ts'
import { sample, seed } from '../support/effort.ts'
import { noKubectl } from '../support/kubectl.ts'
import { startUpgradeLab, type UpgradeLab } from '../support/upgrade-lab.ts'
import { badComponents } from './upgrade-check/components.ts'
import { badGuests } from './upgrade-check/guests.ts'
import { badHardware } from './upgrade-check/hardware.ts'
import { badPlatforms } from './upgrade-check/hyperconverged.ts'
import { badReleases } from './upgrade-check/release.ts'
import { badSettings } from './upgrade-check/settings.ts'

/** Each cluster is valid except for one defect. The cases of a group depend on its earlier ones. */
const groups = [badReleases, badSettings, badGuests, badHardware, badComponents, badPlatforms]
const badClusters = groups.flat()

suite(`steadyvm upgrade check (seed ${seed})`, { skip: noKubectl }, () => {
  let lab: UpgradeLab
  before(async () => {
    lab = await startUpgradeLab()
  })
  after(() => lab[Symbol.asyncDispose]())

  /** Returns all findings, and the whole output for the failure message. */
  const found = async (
    version: string,
  ): Promise<{ readonly ids: readonly string[]; readonly text: string } & Awaited<ReturnType<UpgradeLab['check']>>> => {
    const result = await lab.check(version)
    return { ...result, ids: [...new Set(result.findings.map(({ id }) => id))] }
  }

  test('finds nothing in a clean cluster, with and without a target version', async () => {
    for (const version of [from, to]) {
      const { code, ids, gaps, text } = await found(version)
      assert.deepEqual([code, ids, gaps], [0, [], []], text)
    }
  })

  for (const { id, name, to: version = to, seed: makeBad, others, restore } of sample(groups, 1).flat()) {
    test(`finds ${name} (${id}), and its command resolves it`, async () => {
      await makeBad(lab)
      const bad = await found(version)
      assert.deepEqual([bad.code, bad.ids], [2, [id]], bad.text)
      const doing = others?.(lab)
      for (const { command } of bad.findings) {
        const { code, output } = await lab.shell(command)
        assert.equal(code, 0, `${command}\n${output}`)
      }
      await doing
      const mended = await found(version)
      assert.deepEqual([mended.code, mended.ids], [0, []], mended.text)
      await restore?.(lab)
    })
  }

  test('tests at least 25 kinds of findings', () => {
    assert.ok(new Set(badClusters.map(({ id }) => id)).size >= 25)
  })
})

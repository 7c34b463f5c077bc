import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { daemonSets } from '#api/apps/v1/resources.ts'
import type { DaemonSet } from '#api/apps/v1/daemon-set.ts'
import { holdsTemplate, planRevisions, templateIn } from './revisions.ts'

const labels = { app: 'a' }
const template: DaemonSet['spec']['template'] = {
  metadata: { labels },
  spec: { restartPolicy: 'Always', containers: [{ name: 'main', image: 'a:1' }] },
}
const daemonSet: DaemonSet = { metadata: { name: 'a', uid: 'a' }, spec: { selector: { matchLabels: labels }, template } }

suite('planRevisions()', () => {
  const { current, isNew } = planRevisions(daemonSets, daemonSet, [], () => false)

  test('writes the template byte by byte as Kubernetes does', () => {
    assert.equal(isNew, true)
    assert.equal(
      JSON.stringify(current.data),
      '{"spec":{"template":{"$patch":"replace","metadata":{"creationTimestamp":null,"labels":{"app":"a"}},' +
        '"spec":{"containers":[{"image":"a:1","name":"main","resources":{}}],"restartPolicy":"Always"}}}}',
    )
  })

  test('finds the template again, also in revisions that earlier versions wrote', () => {
    const former = { ...current, data: { spec: { template: { ...template, $patch: 'replace' } } } }
    for (const revision of [current, former]) {
      assert.equal(holdsTemplate(revision, daemonSet), true)
      assert.equal(planRevisions(daemonSets, daemonSet, [revision], () => false).isNew, false)
    }
    const changed = { ...daemonSet, spec: { ...daemonSet.spec, template: { ...template, metadata: { labels: { ...labels, b: 'c' } } } } }
    assert.equal(holdsTemplate(current, changed), false)
    assert.equal(templateIn(current)?.spec.containers[0]?.image, 'a:1')
  })

  test('deletes the oldest that no pod has beyond the limit', () => {
    const old = (revision: number): typeof current => ({ ...current, metadata: { name: `a-${revision}` }, revision, data: {} })
    const limited = { ...daemonSet, spec: { ...daemonSet.spec, revisionHistoryLimit: 1 } }
    const plan = planRevisions(daemonSets, limited, [old(1), old(2), old(3), { ...current, revision: 2 }], (one) => one.revision === 1)
    assert.deepEqual([plan.renumberTo, plan.remove.map(({ revision }) => revision)], [4, [2]])
  })
})

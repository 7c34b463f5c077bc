import assert from 'node:assert/strict'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { suite, test } from 'node:test'
import { parseAllDocuments } from 'yaml'
import { makePlan, readPipelineManifest } from '#features/pipeline-run/index.ts'
import { thisRelease } from '#machine/release/release.ts'
import { readAccess, readCatalogue, shippedNames, taskAccount } from './catalogue.ts'
import { parseTimeouts } from './run-flags.ts'

const folder = join(thisRelease().root, 'manifests', 'tekton', 'pipelines')

suite('what is shipped', () => {
  test('tasks can be run without Tekton, and have the rights that they need', async () => {
    const catalogue = await readCatalogue('registry.example.com/team')
    assert.deepEqual([...catalogue.keys()], await shippedNames())
    for (const { name, spec } of catalogue.values()) {
      for (const { image } of spec.steps) assert.match(image ?? '', /^registry\.example\.com\/team\//)
      const account = (await readAccess(name)).find((object) => (object as { kind: string }).kind === 'ServiceAccount')
      assert.equal((account as { metadata: { name: string } } | undefined)?.metadata.name, taskAccount(name))
    }
  })

  for (const file of readdirSync(folder))
    test(`${file} can be run with shipped tasks only`, async () => {
      const catalogue = await readCatalogue()
      for (const document of parseAllDocuments(readFileSync(join(folder, file), 'utf8'))) {
        const manifest = document.toJS() as { kind: string; metadata: { name: string } }
        if (manifest.kind !== 'Pipeline') continue
        const spec = readPipelineManifest(file, manifest)
        const needed = spec.params.filter((param) => param.default === undefined).map(({ name }) => [name, 'x'] as const)
        const plan = makePlan({
          subject: file,
          pipeline: manifest.metadata.name,
          spec,
          taskNamed: (name) => catalogue.get(name)?.spec,
          params: Object.fromEntries(needed),
          workspaces: {},
          timeouts: parseTimeouts({}, spec),
          serviceAccounts: {},
          collectorImage: 'x',
        })
        assert.ok(plan.tasks.length > 3)
      }
    })
})

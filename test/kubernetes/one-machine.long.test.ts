// Takes longer than 45 s: it runs the end-to-end tests of machine mode against a cluster.
import { globSync } from 'node:fs'
import { repository } from '../support/machine.ts'
import { suitesOnCluster } from './installation/suites-on-cluster.ts'

const files = globSync('test/one-machine/*.test.ts', { cwd: repository }).toSorted()
await suitesOnCluster('end-to-end tests that share a machine, and pages of the guide', {
  'test/docs/guide.test.ts': ['test/docs/guide.test.ts'],
  'test/one-machine, part 1': files.filter((_, index) => index % 2 === 0),
  'test/one-machine, part 2': files.filter((_, index) => index % 2 === 1),
})

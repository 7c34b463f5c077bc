// Takes longer than 45 s: it runs the end-to-end tests of machine mode against a cluster.
import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { repository } from '../support/machine.ts'
import { suitesOnCluster } from './installation/suites-on-cluster.ts'

// Other end-to-end tests need no cluster, or test the start of machine mode itself.
const files = globSync('test/{e2e,crash}/*.test.ts', { cwd: repository })
  .filter((file) => readFileSync(join(repository, file), 'utf8').includes('startMachine('))
  .toSorted()
await suitesOnCluster('end-to-end tests of machine mode', Object.fromEntries(files.map((file) => [file, [file]])))

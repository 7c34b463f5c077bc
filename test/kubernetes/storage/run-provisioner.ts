// Runs the provisioner of a test cluster: run-provisioner.ts HOME PROGRAMS KUBECONFIG
import { inspect } from 'node:util'
import { createNodeClient } from '#client/node/node-client.ts'
import { loadKubeconfig } from '#client/node/kubeconfig.ts'
import { createInformerSet } from '#runtime/cache/informer-set.ts'
import { systemClock as clock } from '#runtime/clock/clock.ts'
import { silentLogger, type LogFields, type Logger } from '#runtime/process/log.ts'
import { provisionerProgram } from '../components/control-plane.ts'
import { createProvisioner } from './provisioner.ts'

const [home = '', programs = '', kubeconfig = ''] = process.argv.slice(2)
// Processes of a host are found by their command.
process.title = provisionerProgram

const print = (fields: LogFields, message: string): void => {
  const { err, ...rest } = fields
  process.stderr.write(`${message} ${JSON.stringify(rest)} ${err === undefined ? '' : inspect(err)}\n`)
}
const log: Logger = { ...silentLogger, warn: print, error: print, child: () => log }
const client = createNodeClient((await loadKubeconfig({ path: kubeconfig, env: {} })).http)
const informers = createInformerSet({ client, clock, log })
const signal = new AbortController().signal
const provisioner = createProvisioner({ client, informers, clock, log, folders: { home, programs } })
await Promise.all([informers, ...provisioner].map((runnable) => runnable.run(signal)))

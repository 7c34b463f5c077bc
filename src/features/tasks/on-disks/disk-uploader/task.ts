import { join } from 'node:path'
import type { TaskContext, TaskDefinition, TaskResults } from '../../task.ts'
import { buildContainerDisk } from './container-disk.ts'
import { credentialsPath, readLogin, trustOwnAuthority } from './credentials.ts'
import { downloadImage } from './download.ts'
import { openExport } from './export.ts'
import { readUpload, uploaderParameters, type Upload } from './parameters.ts'
import { createPusher } from './push.ts'
import { readSourceFacts } from './source-facts.ts'

/** Uploads a disk to a container registry. */
export const diskUploader: TaskDefinition = {
  name: 'disk-uploader',
  description: 'Exports the disk of a VM, snapshot or claim, and pushes it to a container registry as a containerDisk.',
  parameters: uploaderParameters,
  results: [{ name: 'digest', description: 'Digest of the image' }],
  volumes: [
    // Room for the disk, its qcow2 and its layer.
    { name: 'disk', mountPath: '/tmp', source: { emptyDir: {} } },
    {
      name: 'registry-credentials',
      mountPath: credentialsPath,
      readOnly: true,
      source: { secret: { secretName: '$(params.SECRET_NAME)' } },
    },
  ],
  rules: [
    { apiGroups: ['export.kubevirt.io'], resources: ['virtualmachineexports'], verbs: ['get', 'list', 'watch', 'create', 'delete'] },
    { apiGroups: [''], resources: ['secrets'], verbs: ['create', 'delete'] },
    { apiGroups: [''], resources: ['persistentvolumeclaims'], verbs: ['get'] },
    { apiGroups: ['cdi.kubevirt.io'], resources: ['datavolumes'], verbs: ['get'] },
    { apiGroups: ['kubevirt.io'], resources: ['virtualmachines'], verbs: ['get'] },
  ],
  run,
}

async function run(context: TaskContext): Promise<TaskResults> {
  const { parameters, environment, directory, clock, log } = context
  const upload = readUpload(parameters)
  await trustOwnAuthority(environment)
  const pusher = createPusher(context, upload, await readLogin(environment))
  await pusher.check()
  const facts = await readSourceFacts(context, upload)
  const disk = await download(context, upload)
  log('Building the image')
  const folder = join(directory, 'image')
  const image = await buildContainerDisk({ ...facts, folder, disk, name: upload.volume, now: clock.now() })
  await pusher.push(folder, image)
  return { digest: image.descriptor.digest }
}

/** The export ends with the download: a VM may start again while its disk is pushed. */
async function download(context: TaskContext, upload: Upload): Promise<string> {
  await using opened = await openExport(context, upload)
  return await downloadImage(context, opened)
}

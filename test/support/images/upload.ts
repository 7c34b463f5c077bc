import { request } from 'node:https'
import { text } from 'node:stream/consumers'
import { trustIn } from '#cli/images/upload-trust.ts'
import { textAt, type KubeJson, type TestMachine } from '../machine.ts'

/** Asks for a token to upload to a claim. */
export async function requestUploadToken(machine: TestMachine, claim: string): Promise<string> {
  const asked = { apiVersion: 'upload.cdi.kubevirt.io/v1beta1', kind: 'UploadTokenRequest', metadata: {}, spec: { pvcName: claim } }
  const path = `/apis/upload.cdi.kubevirt.io/v1beta1/namespaces/${machine.namespace}/uploadtokenrequests`
  const answer = JSON.parse(await machine.kubectl(['create', '--raw', path, '-f', '-'], JSON.stringify(asked))) as KubeJson
  return textAt(answer, 'status.token')
}

/** Uploads an image to where the cluster takes it, and returns the answer: its code and text. */
export async function upload(machine: TestMachine, token: string, image: Buffer): Promise<string> {
  const config = await machine.getJson('cdiconfig', 'config')
  const [url = '', authority = ''] = ['status.uploadProxyURL', 'status.uploadProxyCA'].map((field) => textAt(config, field))
  return new Promise((resolve, reject) => {
    const headers = { authorization: `Bearer ${token}`, 'content-length': image.length }
    const sent = request(`${url}/v1beta1/upload`, { method: 'POST', ...trustIn(authority), headers }, (response) => {
      text(response).then((said) => resolve(`${response.statusCode} ${said}`), reject)
    })
    sent.on('error', reject)
    sent.end(image)
  })
}

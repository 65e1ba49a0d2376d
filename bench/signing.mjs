/**
 * Master-key signatures of the Cosmos DB protocol, as client and as checker need them.
 *
 * The signed text is verb, resource type, resource link and date, one per line. The key is never
 * part of a request. What is not here: any judgement of dates; nobody in the bench refuses an old
 * one but the servers under test.
 */
import { createHmac } from "node:crypto";

const SIGNATURE_PREFIX = "type=master&ver=1.0&sig=";

/**
 * Type and link that a path signs: a feed (`…/docs`) signs its parent's link, a resource its own.
 * @param {string} path without query string
 * @returns {{ type: string, link: string }}
 */
export function resourceOf(path) {
  const link = path.replace(/^\/+|\/+$/g, "");
  const segments = link === "" ? [] : link.split("/");
  const isFeed = segments.length % 2 === 1;
  const type = segments[segments.length - (isFeed ? 1 : 2)] ?? "";
  return { type, link: isFeed ? segments.slice(0, -1).join("/") : link };
}

/**
 * The base64 signature of one request.
 * @param {Buffer} keyBytes
 * @param {string} verb
 * @param {{ type: string, link: string }} resource
 * @param {string} date the value of x-ms-date
 * @returns {string}
 */
export function signatureOf(keyBytes, verb, resource, date) {
  const text = `${verb.toLowerCase()}\n${resource.type}\n${resource.link}\n${date.toLowerCase()}\n\n`;
  return createHmac("sha256", keyBytes).update(text).digest("base64");
}

/**
 * The value of the authorization header.
 * @param {Buffer} keyBytes
 * @param {string} verb
 * @param {string} path
 * @param {string} date
 * @returns {string}
 */
export function authorizationOf(keyBytes, verb, path, date) {
  const signature = signatureOf(keyBytes, verb, resourceOf(path), date);
  return encodeURIComponent(SIGNATURE_PREFIX + signature);
}

/**
 * The signature inside an authorization header; empty when there is none.
 * @param {string} authorization
 * @returns {string}
 */
export function signatureIn(authorization) {
  const text = decodeURIComponent(authorization);
  return text.startsWith(SIGNATURE_PREFIX) ? text.slice(SIGNATURE_PREFIX.length) : "";
}

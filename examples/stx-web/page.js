// SPDX-License-Identifier: LGPL-2.1-or-later
// Shows each frame with the data of the same frame. A viewer that is slow leaves frames out: the
// next picture is asked for when the last one has come.
"use strict";

const RANGE = 50;      // metres that the view from above shows ahead,
const ASIDE = 20;      // and to either side
const ROWS = 8;        // of the table, besides what is in the corridor
const COLOUR_FAR = 50; // metres: what is farther has the colour of the far end

const $ = (id) => document.getElementById(id);
const picture = $("picture"), above = $("above");
let newest = null, shown = null, loading = false, times = [];

// ---- Frames -------------------------------------------------------------------------------------

// Each is a line of stixel-json, and has the number of its picture.
// A program that has ended may be started again: the browser tries on.
const events = new EventSource("events");
let ended = null;
events.addEventListener("frame", (event) => {
  ended = null;
  newest = { number: event.lastEventId, ...JSON.parse(event.data) };
  load();
});
events.addEventListener("end", (event) => state(ended = JSON.parse(event.data), false));
events.onerror = () => state(ended ?? "no connection; tried again", false);

async function load() {
  if (loading || document.hidden) return;
  loading = true;
  while (newest) {
    const frame = newest, image = new Image();
    newest = null;
    image.src = `frame/${frame.number}.jpg`;
    try {
      await image.decode();
      show(frame, image);
    } catch { /* too late for this one */ }
  }
  loading = false;
}

function show(frame, image) {
  const now = performance.now();
  times = [...times.filter((time) => time > now - 3000), now];
  const rate = times.length > 1 ? (times.length - 1) / (now - times[0]) * 1000 : 0;
  state(`live, ${rate.toFixed(1)} pictures per second`, true);
  shown = frame;
  drawPicture(frame, image);
  drawAbove(frame);
  if (frame.obstacles) list(frame.obstacles);
}

// What the view from above looks like hangs on the window, and on light or dark.
const again = () => { if (shown) drawAbove(shown); };
window.addEventListener("resize", again);
window.matchMedia("(prefers-color-scheme: dark)").addEventListener("change", again);

setInterval(() => {
  if (times.length && performance.now() > times.at(-1) + 3000 && $("status").className)
    state("no pictures for some seconds", false);
}, 1000);

function state(text, live) {
  $("status").textContent = text;
  $("status").className = live ? "live" : "";
}

// ---- Picture ------------------------------------------------------------------------------------

function drawPicture(frame, image) {
  if (picture.width !== image.naturalWidth || picture.height !== image.naturalHeight) {
    picture.width = image.naturalWidth;
    picture.height = image.naturalHeight;
  }
  const pen = picture.getContext("2d");
  pen.drawImage(image, 0, 0);
  const scale = picture.width / frame.width, down = picture.height / frame.height;
  pen.font = `600 ${Math.round(picture.height / 22)}px system-ui, sans-serif`;
  pen.lineJoin = "round";
  for (const { id, box, in_corridor: inside } of listed(frame.obstacles).reverse()) {
    if (!box) continue;
    const left = box.left * scale, top = box.top * down;
    const right = (box.right + 1) * scale, bottom = (box.bottom + 1) * down;
    pen.strokeStyle = "#000a";
    pen.lineWidth = 4;
    pen.strokeRect(left, top, right - left, bottom - top);
    pen.strokeText(id ?? "", left + 5, bottom - 6);
    pen.strokeStyle = pen.fillStyle = inside ? "#ff5040" : "#ffffff";
    pen.lineWidth = 2;
    pen.strokeRect(left, top, right - left, bottom - top);
    pen.fillText(id ?? "", left + 5, bottom - 6);
  }
}

// The nearest, and what is in the corridor: those of the table.
function listed(obstacles = []) {
  return obstacles.filter((one, place) => place < ROWS || one.in_corridor);
}

// ---- From above ---------------------------------------------------------------------------------

const css = (name) => getComputedStyle(document.documentElement).getPropertyValue(name);
const colour = (z) => `hsl(${Math.min(z / COLOUR_FAR, 1) * 225} 75% 50%)`;

// From metres to pixels of the canvas: the camera stands near the middle of the lower edge.
function place(x, z) {
  const scale = Math.min(above.width / (2 * ASIDE), above.height / (RANGE + 4));
  return [above.width / 2 + x * scale, above.height - (z + 2) * scale, scale];
}

function drawAbove(frame) {
  const ratio = window.devicePixelRatio || 1;
  above.width = above.clientWidth * ratio;
  above.height = above.clientHeight * ratio;
  const pen = above.getContext("2d");
  pen.font = `${11 * ratio}px system-ui, sans-serif`;
  pen.lineWidth = ratio;
  if (frame.camera) drawFree(pen, frame);
  drawRings(pen);
  drawNearest(pen, frame.free_space || [], ratio);
  for (const obstacle of frame.obstacles || []) drawObstacle(pen, obstacle, ratio);
}

// How far to the right a column of the picture leads, for each metre ahead.
function slope({ camera, width, stixel_width: across }, column) {
  return ((column + .5) * across - .5 - (camera.cx ?? width / 2)) / camera.focal;
}

function drawFree(pen, frame) {
  const half = .55 * (slope(frame, 1) - slope(frame, 0)); // a little more: no seams
  pen.fillStyle = css("--free");
  pen.beginPath();
  (frame.free_space || []).forEach(({ state: what, z }, column) => {
    if (what === "unknown") return;
    const far = Math.min(z ?? RANGE, RANGE), to = slope(frame, column);
    pen.moveTo(...place(0, 0).slice(0, 2));
    pen.lineTo(...place((to - half) * far, far).slice(0, 2));
    pen.lineTo(...place((to + half) * far, far).slice(0, 2));
  });
  pen.fill();
}

function drawRings(pen) {
  pen.strokeStyle = css("--line");
  pen.fillStyle = css("--quiet");
  for (let metres = 10; metres <= RANGE; metres += 10) {
    const [x, y, scale] = place(0, 0);
    pen.beginPath();
    pen.arc(x, y, metres * scale, Math.PI, 2 * Math.PI);
    pen.stroke();
    pen.fillText(`${metres} m`, x + 3, y - metres * scale - 3);
  }
  pen.fillStyle = css("--text");
  const [x, y, scale] = place(0, 0);
  pen.beginPath();
  pen.moveTo(x, y - .8 * scale);
  pen.lineTo(x - .7 * scale, y + .8 * scale);
  pen.lineTo(x + .7 * scale, y + .8 * scale);
  pen.fill();
}

function drawNearest(pen, free, ratio) {
  for (const { x, z } of free) {
    if (x === null || z === null || z > RANGE) continue;
    const [across, up] = place(x, z);
    pen.fillStyle = colour(z);
    pen.beginPath();
    pen.arc(across, up, 2 * ratio, 0, 2 * Math.PI);
    pen.fill();
  }
}

function drawObstacle(pen, { id, metres, in_corridor: inside }, ratio) {
  if (!metres || metres.x === null || metres.z > RANGE) return;
  const width = metres.width ?? .5, depth = Math.max(metres.depth ?? 0, .4);
  const [left, far, scale] = place(metres.x - width / 2, metres.z + depth);
  pen.strokeStyle = pen.fillStyle = inside ? css("--mark") : css("--text");
  pen.lineWidth = (inside ? 2.5 : 1.5) * ratio;
  pen.strokeRect(left, far, width * scale, depth * scale);
  if (id) pen.fillText(id, left, far - 3);
}

// ---- Table --------------------------------------------------------------------------------------

const metres = (value) => value === null || value === undefined ? "–" : value.toFixed(1);
const sideways = (x) => x === null || x === undefined ? "–"
  : `${Math.abs(x).toFixed(1)} ${x < 0 ? "left" : "right"}`;

function cells(kind, texts) {
  return texts.map((text) => {
    const cell = document.createElement(kind);
    cell.textContent = text;
    return cell;
  });
}

function row(obstacle) {
  const { id, class: name, metres: where, closing_speed: speed, in_corridor: inside } = obstacle;
  const element = document.createElement("tr");
  element.className = inside ? "corridor" : "";
  element.append(...cells("td", [`${id ?? "–"}${name ? ` ${name}` : ""}`, metres(where?.z),
    sideways(where?.x), metres(where?.width), metres(where?.height), metres(speed)]));
  return element;
}

function list(obstacles) {
  const inside = obstacles.filter((one) => one.in_corridor).length;
  $("caption").textContent = `${obstacles.length} obstacles, ${inside} in the corridor (red)`;
  $("rows").replaceChildren(...listed(obstacles).map(row));
}

// The one clock of a page: the recording's where it plays, its own where there is none.
"use strict";

// Times are milliseconds of the release. The player counts from another zero where an edit list or
// a late first frame moves it: what its first frame is shown at, less what the release says of that
// frame, is how far the player is ahead.
Kolab.makeClock = function (video, recording, length) {
  const clock = { now: 0, length, isPlaying: false, canPlay: false, offset: 0, end: 0, trouble: "" };
  const listeners = [];
  let wanted = null;
  let isReady = false;
  let isVirtual = true;
  let isLate = false;
  let before = 0;

  clock.listen = (listener) => listeners.push(listener);
  const tell = () => listeners.forEach((listener) => listener(clock));

  clock.seek = function (time) {
    clock.now = Math.min(Math.max(0, time), clock.length);
    if (!clock.canPlay) {
      wanted = clock.now;
    } else if (clock.now >= clock.end) {
      isVirtual = true;
      video.pause();
      movePlayer();
    } else {
      isVirtual = false;
      movePlayer();
      if (clock.isPlaying) video.play().catch(() => clock.pause());
    }
    tell();
  };

  // One move at a time, the latest last: Chromium may hang when they overlap.
  function movePlayer() {
    isLate = video.seeking;
    // The player rounds down to microseconds; a time meant for a frame's start must not miss it.
    if (!isLate) video.currentTime = Math.max(0, (clock.now + clock.offset) / 1000 + 5e-7);
  }

  clock.play = function () {
    if (clock.now >= clock.length) clock.seek(0);
    clock.isPlaying = true;
    before = performance.now();
    if (!isVirtual) video.play().catch(() => clock.pause());
    requestAnimationFrame(tick);
    tell();
  };

  clock.pause = function () {
    if (!clock.isPlaying) return;
    clock.isPlaying = false;
    video.pause();
    tell();
  };

  clock.toggle = () => (clock.isPlaying ? clock.pause() : clock.play());

  clock.setRate = function (rate) {
    video.playbackRate = rate;
    video.defaultPlaybackRate = rate;
  };

  function tick() {
    if (!clock.isPlaying) return;
    const time = performance.now();
    if (isVirtual) clock.now += (time - before) * video.playbackRate;
    else if (!video.seeking && !isLate) clock.now = video.currentTime * 1000 - clock.offset;
    before = time;
    if (!isVirtual && video.ended) isVirtual = true;
    if (clock.now >= clock.length) {
      clock.now = clock.length;
      clock.pause();
    }
    tell();
    requestAnimationFrame(tick);
  }

  function becomeReady(mediaTime) {
    if (isReady || clock.trouble) return;
    isReady = true;
    if (mediaTime !== null) clock.offset = mediaTime * 1000 - recording.first;
    clock.canPlay = true;
    measure();
    clock.seek(wanted === null ? 0 : wanted);
  }

  // A recording that was never finished may not say how long it is.
  function measure() {
    const isKnown = Number.isFinite(video.duration);
    clock.end = isKnown ? video.duration * 1000 - clock.offset : recording.duration || Infinity;
    if (Number.isFinite(clock.end)) clock.length = Math.max(clock.length, clock.end);
  }

  function fail(reason) {
    clock.trouble = reason;
    clock.canPlay = false;
    isVirtual = true;
    tell();
  }

  function start() {
    video.addEventListener("error", () => {
      const detail = video.error && video.error.message ? ` (${video.error.message})` : "";
      fail(`This browser cannot play ${recording.name}: ${recording.codec}${detail}.`);
    });
    video.addEventListener("loadeddata", () => {
      if (!video.videoWidth) fail(`This browser plays no picture of ${recording.name}: ${recording.codec}.`);
      else setTimeout(() => becomeReady(null), 1500);
    });
    video.addEventListener("pause", () => {
      if (!isVirtual && !video.ended && !video.seeking) clock.pause();
    });
    video.addEventListener("seeked", () => isLate && movePlayer());
    video.addEventListener("durationchange", () => isReady && measure());
    if (video.requestVideoFrameCallback) {
      video.requestVideoFrameCallback((_, frame) => becomeReady(frame.mediaTime));
    }
    video.src = recording.src;
  }

  if (recording === null) clock.trouble = "This session has no recording.";
  else if (recording.error) clock.trouble = `${recording.name} cannot be read: ${recording.error}.`;
  else start();
  return clock;
};
